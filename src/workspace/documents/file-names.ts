import { ServiceError } from '../../errors.ts'

/** A map, for a name may end in `.constructor`. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ['md', 'text/markdown; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8'],
  ['csv', 'text/csv; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['json', 'application/json'],
  ['pdf', 'application/pdf'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
])

/** Characters of a name, not bytes: Hebrew letters take two of those and emoji four. */
const longestName = 200

/** Not seen, but they turn names around (`gpj.exe` is shown as `exe.jpg`) or make two that look alike. */
const invisible = /\p{Bidi_Control}|[\u200b\u2060\ufeff]/gu

/** Control characters, and the separators by which a name would take two lines. */
const forbidden = /\p{Cc}|[\u2028\u2029]/u

/**
 * A file's name as it is kept: NFC, the last part of a path, without characters that turn text around, at most 200
 * characters. Names are labels here and never paths: nothing is ever opened by one.
 * @throws ServiceError `invalid_value` for an empty name, control characters, or a name that is too long.
 */
export function cleanFileName(name: string, param = 'file'): string {
  // Composed last: a character that is not seen can keep a letter and its accent apart.
  const whole = name.toWellFormed().replace(invisible, '').normalize('NFC')
  const last = whole.split(/[/\\]/).at(-1)?.trim() ?? ''
  if (last === '' || last === '.' || last === '..' || forbidden.test(last)) {
    throw new ServiceError('invalid_value', 'The file needs a name without control characters.', { param })
  }
  if ([...last].length > longestName) {
    throw new ServiceError('invalid_value', `The file name is longer than ${longestName} characters.`, {
      param,
    })
  }
  return last
}

/** By the ending of the name; unknown endings of texts are plain text. */
export function contentTypeOf(name: string): string {
  return contentTypes.get(endingOf(name)) ?? 'text/plain; charset=utf-8'
}

/** In small letters, without the dot; the whole name when it has none. */
export function endingOf(name: string): string {
  return name.split('.').at(-1)?.toLowerCase() ?? ''
}
