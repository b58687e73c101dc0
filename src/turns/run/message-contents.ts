import type { Executor } from '../../db/client.ts'
import { messages } from '../../db/schema/index.ts'
import { estimateOf, readLargeRows, type UnreadRow } from './large-rows.ts'

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
