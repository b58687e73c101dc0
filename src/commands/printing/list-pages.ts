import { invalidValue } from '../../errors.ts'

/** The options of a command whose list has pages. */
export const pageOptions = { limit: { type: 'string' }, after: { type: 'string' } } as const

const defaultRows = 100
const maxRows = 1_000

/** A page as it is read: `after` is the id of the last row before it. */
type Page = { readonly limit: number; readonly after: string | undefined }

type Given = { text(option: string): string | undefined; progress(line: string): void }

/**
 * Reads the page that the options name. If rows follow, a line on standard error says how to read them.
 * @param idOf what `--after` takes of a row.
 */
export async function readPage<Row>(
  { text, progress }: Given,
  read: (page: Page) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
): Promise<readonly Row[]> {
  const limit = limitOption(text('limit'), defaultRows)
  const rows = await read({ limit: limit + 1, after: text('after') })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  if (rows.length > limit && last)
    progress(`There are more than these ${limit}: continue with --after '${idOf(last)}'.`)
  return page
}

/** @throws ServiceError `invalid_value` for another number than 1 to 1000. */
export function limitOption(given: string | undefined, byDefault: number): number {
  const limit = given === undefined ? byDefault : wholeNumber('--limit', given)
  if (limit >= 1 && limit <= maxRows) return Number(limit)
  throw invalidValue(`--limit takes a number from 1 to ${maxRows}.`)
}

/** @throws ServiceError `invalid_value` if the text is no whole number. */
export function wholeNumber(option: string, text: string): bigint {
  if (/^\d{1,18}$/.test(text)) return BigInt(text)
  throw invalidValue(`${option} takes a whole number.`)
}
