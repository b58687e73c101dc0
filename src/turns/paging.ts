import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Executor } from '../db/client.ts'
import { ServiceError } from '../errors.ts'

export type PageRequest = { readonly limit: number; readonly order: 'asc' | 'desc'; readonly after?: string }

export type Page<T> = { readonly items: readonly T[]; readonly hasMore: boolean }

type Listed = PgTable & { readonly id: PgColumn; readonly createdAt: PgColumn }

/**
 * One page of a table in the order of creation, ids breaking ties.
 * @throws ServiceError `invalid_value` when `after` names nothing that the same filter shows.
 */
export async function pageOf<T extends Listed>(
  executor: Executor,
  table: T,
  filter: SQL | undefined,
  page: PageRequest,
): Promise<Page<T['$inferSelect']>> {
  const position = sql`(${table.createdAt}, ${table.id})`
  let after: SQL | undefined
  if (page.after !== undefined) {
    const [known] = await executor
      .select({ createdAt: sql<string>`${table.createdAt}::text` })
      .from(table as PgTable)
      .where(and(filter, eq(table.id, page.after)))
    if (!known) {
      throw new ServiceError('invalid_value', '`after` must be the id of an item of this list.', {
        param: 'after',
      })
    }
    const bound = sql`(${known.createdAt}::timestamptz, ${page.after})`
    after = page.order === 'asc' ? sql`${position} > ${bound}` : sql`${position} < ${bound}`
  }
  const direction = page.order === 'asc' ? asc : desc
  const rows = await executor
    .select()
    .from(table as PgTable)
    .where(and(filter, after))
    .orderBy(direction(table.createdAt), direction(table.id))
    .limit(page.limit + 1)
  return { items: rows.slice(0, page.limit) as T['$inferSelect'][], hasMore: rows.length > page.limit }
}
