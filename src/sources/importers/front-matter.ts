import { parseDocument } from 'yaml'
import { ServiceError } from '../../errors.ts'

/** Properties of a text, from its front matter or from command-line flags. Flags take precedence. */
export type TextFacts = {
  readonly title?: string | undefined
  readonly he_title?: string | undefined
  readonly author?: string | undefined
  readonly category?: string | undefined
  readonly composed?: string | undefined
  readonly license?: string | undefined
  readonly language?: string | undefined
  readonly version?: string | undefined
  readonly source_url?: string | undefined
}

const markdownFacts = [
  'title',
  'he_title',
  'author',
  'category',
  'composed',
  'license',
  'language',
  'version',
  'source_url',
] as const satisfies readonly (keyof TextFacts)[]

/**
 * Parses the YAML between `---` lines at the start of a text. Names may be in capitals. Unknown names are ignored. A
 * list of texts is joined with commas.
 * @returns the properties, and the text after the front matter.
 * @throws ServiceError `invalid_value` when it is not YAML, when the value of a known name is not a text, or when the
 *   licence is misspelt.
 */
export function readFrontMatter(content: string): { readonly facts: TextFacts; readonly body: string } {
  const match = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(content)
  if (!match && unclosed.test(content)) {
    throw new ServiceError(
      'invalid_value',
      'The front matter begins in line 1 and does not end. Write a line `---` after its last property.',
    )
  }
  if (!match) return { facts: {}, body: content }
  return { facts: factsOf(match[1] ?? ''), body: content.slice(match[0].length) }
}

/** Matches front matter that begins with a known property and has no end. A line `---` alone separates paragraphs. */
const unclosed = new RegExp(`^---[ \\t]*\\r?\\n(?:${markdownFacts.join('|')}|licence)[ \\t]*:`, 'i')

function factsOf(matter: string): TextFacts {
  // The `failsafe` schema keeps every scalar as text: `version: 1.10` is not the number 1.1.
  const document = parseDocument(matter, { schema: 'failsafe', prettyErrors: true })
  const [fault] = document.errors
  if (fault) {
    const line = (fault.linePos?.[0].line ?? 0) + 1
    throw new ServiceError(
      'invalid_value',
      `The front matter is not YAML at line ${line} of the text. Put a value with a colon or quotes in single quotes.`,
    )
  }
  const values: unknown = document.toJS()
  if (values === null || values === '') return {}
  if (typeof values !== 'object' || Array.isArray(values)) {
    throw new ServiceError('invalid_value', 'The front matter needs lines of the form `name: value`.')
  }
  const facts: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    // Ignored like the names of other programs, it would import somebody's text as one's own.
    if (name.toLowerCase() === 'licence') {
      throw new ServiceError('invalid_value', 'Write "license" in the front matter in place of "licence".')
    }
    const known = markdownFacts.find((fact) => fact === name.toLowerCase())
    if (known) facts[known] = textOf(known, value)
  }
  return facts
}

function textOf(name: string, value: unknown): string {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value ?? '']
  if (texts.every((text) => typeof text === 'string')) return texts.join(', ').trim()
  throw new ServiceError('invalid_value', `"${name}" in the front matter must be a text or a list of texts.`)
}
