import { ServiceError } from '../errors.ts'

const contentTypes: Readonly<Record<string, string>> = {
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  html: 'text/html; charset=utf-8',
  json: 'application/json',
}

/**
 * A file's name as it is kept: NFC, without folders, at most 200 characters. Names are labels here and never paths.
 * @throws ServiceError `invalid_value` for an empty name or control characters.
 */
export function cleanFileName(name: string, param = 'file'): string {
  const last = name.normalize('NFC').split(/[/\\]/).at(-1)?.trim() ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (last === '' || last === '.' || last === '..' || /[\u0000-\u001f\u007f]/u.test(last)) {
    throw new ServiceError('invalid_value', 'The file needs a name without control characters.', { param })
  }
  if ([...last].length > 200) {
    throw new ServiceError('invalid_value', 'The file name is longer than 200 characters.', { param })
  }
  return last
}

/** By the ending of the name; unknown endings of texts are plain text. */
export function contentTypeOf(name: string): string {
  const ending = name.split('.').at(-1)?.toLowerCase() ?? ''
  return contentTypes[ending] ?? 'text/plain; charset=utf-8'
}
