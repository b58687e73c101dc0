import { readFile } from 'node:fs/promises'
import type { HostInstructions } from '../agent/prompts/prompts.ts'
import { ConfigError } from '../config.ts'
import { messageOf } from '../errors.ts'

/** Maximum length of the instructions of a host, in characters. */
export const maxHostInstructions = 20_000

/** Lines between two lines of hyphens at the beginning of a file. */
const frontMatter = /^---\n(?<settings>(?:.*\n)??)---(?:\n|$)/

/**
 * Reads the instructions of the host: a text, which may begin with the setting `replace` between lines of hyphens.
 * @param setting what names the file, for errors.
 * @throws ConfigError that names the setting and the remedy.
 */
export async function readHostInstructions(
  file: string,
  setting = 'INSTRUCTIONS_FILE',
): Promise<HostInstructions> {
  const refusal = (reason: string) => new ConfigError(`${setting} ${file} cannot be used: ${reason}`)
  const written = await readUtf8(file).catch((error: unknown) => {
    const isText = error instanceof TypeError
    throw refusal(
      isText
        ? 'it is not UTF-8. Save it as UTF-8 text.'
        : `${messageOf(error)}. Name a text file that this user may read.`,
    )
  })
  const whole = written.replaceAll('\r\n', '\n')
  const { settings } = frontMatter.exec(whole)?.groups ?? {}
  if (settings === undefined && whole.startsWith('---\n'))
    throw refusal('its first lines must be `---`, `replace: true` and `---`, or the text itself.')
  const replace = settings?.trim() ?? ''
  if (!/^(replace: ?(true|false))?$/.test(replace))
    throw refusal(`its first lines say "${replace}". Write \`replace: true\` there, or remove them.`)
  const text = whole.replace(frontMatter, '').trim()
  const { length } = [...text]
  if (length === 0) throw refusal(`it has no instructions. Write some, or remove ${setting}.`)
  if (length > maxHostInstructions)
    throw refusal(
      `it has ${length.toLocaleString('en-US')} characters. Shorten it to at most ${maxHostInstructions.toLocaleString('en-US')}.`,
    )
  return { text, replace: replace.endsWith('true') }
}

/** @throws TypeError if it is in another encoding. */
async function readUtf8(file: string): Promise<string> {
  return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
}
