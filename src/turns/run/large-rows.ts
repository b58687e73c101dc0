import { inArray, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Executor } from '../../db/client.ts'
import { messages } from '../../db/schema/index.ts'

/** A row that has not been read, and what its large values have at most. */
export type UnreadRow = { readonly id: string; readonly estimate: number }

type Identified = PgTable & { readonly id: PgColumn }

/**
 * Maximum length of these values of a row, which Postgres knows without reading them. Its two methods of compression
 * shorten a value by at most these factors.
 */
export function estimateOf(...columns: readonly PgColumn[]): SQL<number> {
  const estimates = columns.map(
    (column) => sql`coalesce(pg_column_size(${column}), 0)
      * case pg_column_compression(${column}) when 'pglz' then 90::bigint when 'lz4' then 256 else 1 end`,
  )
  return sql<number>`(${sql.join(estimates, sql` + `)})`.mapWith(Number)
}

/** Maximum of what is read at once, by the estimates. */
const maxPiece = 32 * 1024 * 1024

/** A letter of Hebrew has two bytes. Reading much more than can be returned would only be thrown away. */
const bytesPerCharacter = 2

/**
 * Reads rows until they would together be longer than `maxLength`. The memory that it needs depends on `maxLength`, not on
 * how many rows there are.
 * @param unread in the order in which they are read; the first one is always read.
 * @returns `isCut`: rows were left out.
 */
export async function readLargeRows<T extends Identified>(
  executor: Executor,
  table: T,
  unread: readonly UnreadRow[],
  maxLength: number,
  lengthOf: (row: T['$inferSelect']) => number,
): Promise<{ readonly read: readonly T['$inferSelect'][]; readonly isCut: boolean }> {
  const read: T['$inferSelect'][] = []
  let length = 0
  for (let at = 0; at < unread.length; ) {
    const piece = pieceFrom(unread, at, Math.min(maxPiece, bytesPerCharacter * maxLength))
    at += piece.length
    for (const row of await readPiece(executor, table, piece)) {
      length += lengthOf(row)
      if (length > maxLength && read.length > 0) return { read, isCut: true }
      read.push(row)
    }
  }
  return { read, isCut: false }
}

/** The ids of the rows from `at` on that are read at once. */
function pieceFrom(unread: readonly UnreadRow[], at: number, max: number): readonly string[] {
  const piece: string[] = []
  let size = 0
  for (const { id, estimate } of unread.slice(at)) {
    size += estimate
    if (size > max && piece.length > 0) break
    piece.push(id)
  }
  return piece
}

/** A row that was deleted meanwhile is missing. */
async function readPiece<T extends Identified>(
  executor: Executor,
  table: T,
  ids: readonly string[],
): Promise<readonly T['$inferSelect'][]> {
  const rows: T['$inferSelect'][] = await executor
    .select()
    .from(table as PgTable)
    .where(inArray(table.id, [...ids]))
  const byId = new Map(rows.map((row) => [row['id'], row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [row] : []
  })
}

export type StoredMessage = typeof messages.$inferSelect

/** Maximum length of a message's content. */
export const contentEstimate = estimateOf(messages.content)

/** Reads messages until their contents together would have more than `maxLength` characters, see `readLargeRows`. */
export function readContents(
  executor: Executor,
  unread: readonly UnreadRow[],
  maxLength: number,
): Promise<{ readonly read: readonly StoredMessage[]; readonly isCut: boolean }> {
  return readLargeRows(executor, messages, unread, maxLength, ({ content }) => lengthOf(content))
}

/** Characters of all texts in a content, the data of images among them. */
function lengthOf(content: unknown): number {
  if (typeof content === 'string') return content.length
  if (typeof content !== 'object' || content === null) return 0
  return Object.values(content).reduce<number>((sum, value) => sum + lengthOf(value), 0)
}
