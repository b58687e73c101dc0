import { invalidValue } from '../../errors.ts'

const defaultRows = 100
export const maxRows = 1_000

/** A page as it is read: `after` is the id of the last row before it. */
type Page = { readonly limit: number; readonly after: string | undefined }

type Given = { text(option: string): string | undefined; progress(line: string): void }

/**
 * Reads the page that the options name. If rows follow, a line on standard error says how to read them.
 * @param idOf what `--after` takes of a row.
 */
export async function readPage<Row>(
  given: Given,
  read: (page: Page) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
): Promise<readonly Row[]> {
  const limit = countOption(given, 'limit', defaultRows, maxRows)
  const rows = await read({ limit: limit + 1, after: given.text('after') })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  if (rows.length > limit && last)
    given.progress(`There are more than these ${limit}: continue with --after '${idOf(last)}'.`)
  return page
}

/** An option that takes a number. @throws ServiceError `invalid_value` for another number than 1 to `max`. */
export function countOption(
  { text }: Pick<Given, 'text'>,
  name: string,
  byDefault: number,
  max: number,
): number {
  const given = text(name) ?? `${byDefault}`
  const count = /^\d+$/.test(given) ? Number(given) : 0
  if (count >= 1 && count <= max) return count
  throw invalidValue(`--${name} takes a whole number from 1 to ${max}.`)
}
