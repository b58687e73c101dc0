import { readFile } from 'node:fs/promises'
import { isNode, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { ConfigError } from '../config.ts'
import { messageOf } from '../errors.ts'

/**
 * Reads the JSON file that a setting names.
 * @throws ConfigError that names the setting, the field and its line. It quotes nothing of the file, which may hold secrets.
 */
export async function readSettingsFile<Schema extends z.ZodType>(
  setting: string,
  path: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  try {
    const text = await readFile(path, 'utf8')
    const parsed = schema.safeParse(jsonOf(text))
    if (parsed.success) return parsed.data
    const issue = parsed.error.issues[0]
    const field = issue?.path ?? []
    throw new Error(`${field.join('.') || 'the file'}: ${issue?.message} (line ${lineOf(text, field)})`)
  } catch (error) {
    throw new ConfigError(`${setting} ${path} cannot be used: ${messageOf(error)}`)
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the file.
    const lines = new LineCounter()
    const [error] = parseDocument(text, { lineCounter: lines, prettyErrors: false }).errors
    throw new Error(error ? `line ${lines.linePos(error.pos[0]).line} is not JSON` : 'it is not JSON')
  }
}

/** The line of a field; of what it is in, if the field is missing. JSON is YAML, whose parser knows lines. */
function lineOf(text: string, field: readonly PropertyKey[]): number {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  for (let length = field.length; length > 0; length -= 1) {
    const node = document.getIn(field.slice(0, length), true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}
