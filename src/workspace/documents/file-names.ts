import { ServiceError } from '../../errors.ts'

/** Content types by ending. A map, because an ending may be `constructor`. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ['md', 'text/markdown; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8'],
  ['csv', 'text/csv; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['json', 'application/json'],
  ['pdf', 'application/pdf'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
])

/**
 * Maximum characters of a name. They are counted in characters, because Hebrew letters take two bytes and emoji four.
 */
const longestName = 200

/** Invisible characters that reverse names (`gpj.exe` is shown as `exe.jpg`) or make different names look alike. */
const invisible = /\p{Bidi_Control}|[\u200b\u2060\ufeff]/gu

/** Control characters, and separators that would put a name on two lines. */
const forbidden = /\p{Cc}|[\u2028\u2029]/u

/**
 * Normalises a file name: NFC, the last part of a path, no characters that change text direction, at most 200
 * characters. Names are only labels; no file is opened by its name.
 * @throws ServiceError `invalid_value` for an empty name, control characters, or a name that is too long.
 */
export function cleanFileName(name: string, param = 'file'): string {
  // NFC comes last, because an invisible character can separate a letter from its accent.
  const whole = name.toWellFormed().replace(invisible, '').normalize('NFC')
  const last = whole.split(/[/\\]/).at(-1)?.trim() ?? ''
  if (last === '' || last === '.' || last === '..' || forbidden.test(last)) {
    throw new ServiceError('invalid_value', 'The file needs a name without control characters.', { param })
  }
  if ([...last].length > longestName) {
    throw new ServiceError(
      'invalid_value',
      `The file name is longer than ${longestName} characters. Choose a shorter one.`,
      {
        param,
      },
    )
  }
  return last
}

/** The content type by the ending of the name. Unknown endings are plain text. */
export function contentTypeOf(name: string): string {
  return contentTypes.get(endingOf(name)) ?? 'text/plain; charset=utf-8'
}

/** The ending in lower case, without the dot; the whole name when it has none. */
export function endingOf(name: string): string {
  return name.split('.').at(-1)?.toLowerCase() ?? ''
}
