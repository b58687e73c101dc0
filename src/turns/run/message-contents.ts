import { inArray, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { messages } from '../../db/schema/index.ts'

export type StoredMessage = typeof messages.$inferSelect

/** A message whose content has not been read. */
export type UnreadMessage = { readonly id: string; readonly estimate: number }

/**
 * Maximum length of a message's content, which Postgres knows without reading it. Its two methods of compression
 * shorten a value by at most these factors.
 */
export const contentEstimate = sql<number>`pg_column_size(${messages.content})
  * case pg_column_compression(${messages.content}) when 'pglz' then 90::bigint when 'lz4' then 256 else 1 end`.mapWith(
  Number,
)

/** Maximum of what is read at once, by the estimates. */
const maxPiece = 32 * 1024 * 1024

/** A letter of Hebrew has two bytes. Reading much more than can be returned would only be thrown away. */
const bytesPerCharacter = 2

/**
 * Reads messages until their contents together would be longer than `maxLength`. The memory that it needs depends on
 * `maxLength`, not on what the session has.
 * @param unread in the order in which they are read; the first one is always read.
 * @returns `isCut`: messages were left out.
 */
export async function readContents(
  executor: Executor,
  unread: readonly UnreadMessage[],
  maxLength: number,
): Promise<{ readonly read: readonly StoredMessage[]; readonly isCut: boolean }> {
  const read: StoredMessage[] = []
  let length = 0
  for (let at = 0; at < unread.length; ) {
    const piece = pieceFrom(unread, at, Math.min(maxPiece, bytesPerCharacter * maxLength))
    at += piece.length
    for (const message of await readPiece(executor, piece)) {
      length += lengthOf(message.content)
      if (length > maxLength && read.length > 0) return { read, isCut: true }
      read.push(message)
    }
  }
  return { read, isCut: false }
}

/** The ids of the messages from `at` on that are read at once. */
function pieceFrom(unread: readonly UnreadMessage[], at: number, max: number): readonly string[] {
  const piece: string[] = []
  let size = 0
  for (const { id, estimate } of unread.slice(at)) {
    size += estimate
    if (size > max && piece.length > 0) break
    piece.push(id)
  }
  return piece
}

/** A message that was deleted meanwhile is missing. */
async function readPiece(executor: Executor, ids: readonly string[]): Promise<readonly StoredMessage[]> {
  const rows = await executor
    .select()
    .from(messages)
    .where(inArray(messages.id, [...ids]))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Characters of all texts in a content, the data of images among them. */
function lengthOf(content: unknown): number {
  if (typeof content === 'string') return content.length
  if (typeof content !== 'object' || content === null) return 0
  return Object.values(content).reduce<number>((sum, value) => sum + lengthOf(value), 0)
}
