import { and, asc, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Executor } from '../../db/client.ts'
import { unknownCursor } from '../../errors.ts'
import { estimateOf, readLargeRows, type UnreadRow } from './large-rows.ts'

export type PageRequest = {
  readonly limit: number
  readonly order: 'asc' | 'desc'
  readonly after?: string | undefined
}

export type Page<T> = { readonly items: readonly T[]; readonly hasMore: boolean }

type Listed = PgTable & { readonly id: PgColumn; readonly createdAt: PgColumn }

/**
 * Reads one page of a table, ordered by `keys` (default: creation time) and then by id. It reads at most one
 * row more than the page.
 * @throws ServiceError `invalid_value` if `after` is not an id that the filter shows.
 */
export function pageOf<T extends Listed>(
  executor: Executor,
  table: T,
  filter: SQL | undefined,
  page: PageRequest,
  keys?: readonly PgColumn[],
): Promise<Page<T['$inferSelect']>> {
  const columns: Record<string, PgColumn> = getTableColumns(table)
  return columnsOfPage(executor, table, columns, filter, page, keys)
}

/** As `pageOf`, with these columns. */
export async function columnsOfPage<Row>(
  executor: Executor,
  table: Listed,
  selected: Readonly<Record<keyof Row & string, PgColumn | SQL>>,
  filter: SQL | undefined,
  page: PageRequest,
  keys: readonly PgColumn[] = [table.createdAt],
): Promise<Page<Row>> {
  const columns = [...keys, table.id]
  const position = sql`(${sql.join(columns, sql`, `)})`
  let after: SQL | undefined
  if (page.after !== undefined) {
    const [known] = await executor
      .select({
        values: sql<string[]>`array[${sql.join(
          columns.map((column) => sql`${column}::text`),
          sql`, `,
        )}]`,
      })
      .from(table as PgTable)
      .where(and(filter, eq(table.id, page.after)))
    if (!known) throw unknownCursor()
    const values = columns.map((column, i) => sql`${known.values[i]}::${sql.raw(column.getSQLType())}`)
    const bound = sql`(${sql.join(values, sql`, `)})`
    after = page.order === 'asc' ? sql`${position} > ${bound}` : sql`${position} < ${bound}`
  }
  const direction = page.order === 'asc' ? asc : desc
  const rows = await executor
    .select(selected)
    .from(table as PgTable)
    .where(and(filter, after))
    .orderBy(...columns.map((column) => direction(column)))
    .limit(page.limit + 1)
  return { items: rows.slice(0, page.limit) as Row[], hasMore: rows.length > page.limit }
}

/**
 * Bytes of the large values of one page, as JSON. A page of 4 MiB holds the event loop for about 0.1 s, and other clients
 * wait meanwhile. A row alone may have more.
 */
const maxPageBytes = 4 * 1024 * 1024

/** As `pageOf`, for rows with large values: a page ends before the row that would make it too long. */
export async function pageOfLarge<T extends Listed>(
  executor: Executor,
  table: T,
  large: { readonly [name in keyof T['$inferSelect'] & string]?: PgColumn },
  filter: SQL | undefined,
  page: PageRequest,
  keys?: readonly PgColumn[],
): Promise<Page<T['$inferSelect']>> {
  const columns = { id: table.id, estimate: estimateOf(...(Object.values(large) as PgColumn[])) }
  const found = await columnsOfPage<UnreadRow>(executor, table, columns, filter, page, keys)
  const bytesOf = (row: Readonly<Record<string, unknown>>) =>
    Object.keys(large).reduce((sum, name) => sum + Buffer.byteLength(JSON.stringify(row[name])), 0)
  const { read, isCut } = await readLargeRows(executor, table, found.items, maxPageBytes, bytesOf)
  return { items: read, hasMore: found.hasMore || isCut }
}
