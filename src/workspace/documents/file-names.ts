import { invalidValue } from '../../errors.ts'
import { plainName } from '../../names/names.ts'

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

/** Files are found by their names, so the marks of direction that other names keep must not make two of them. */
const marks = /\p{Bidi_Control}/gu

/**
 * Normalises a file name: NFC, the last part of a path, without invisible characters, at most 200 characters. Names are
 * only labels; no file is opened by its name.
 * @throws ServiceError `invalid_value` for an empty name, control characters, or a name that is too long.
 */
export function cleanFileName(name: string, param = 'file'): string {
  // NFC comes last, because an invisible character can separate a letter from its accent.
  const whole = plainName(name.replace(marks, ''), param).normalize('NFC')
  const last = whole.split(/[/\\]/).at(-1)?.trim() ?? ''
  if (last === '' || last === '.' || last === '..') {
    throw invalidValue('The file needs a name that can be seen. Give it one.', param)
  }
  if ([...last].length > longestName) {
    throw invalidValue(`The file name is longer than ${longestName} characters. Choose a shorter one.`, param)
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
