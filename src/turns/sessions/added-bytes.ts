import { and, eq, gt, sql } from 'drizzle-orm'
import type { Plan } from '../../accounts/plans.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { sessions } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'

const mebibyte = 1024 * 1024

/** Bytes of added messages that every account may have, also on a plan without files. */
const least = 64 * mebibyte

/** Bytes of a row of `messages` beside its content. */
const rowBytes = 256

/** What messages count in the storage of their account. */
export function bytesOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + rowBytes + Buffer.byteLength(JSON.stringify(message)), 0)
}

/**
 * Counts messages that are added to a session without a turn. They cost nothing, so the plan limits them like files.
 * @throws ServiceError `invalid_value` if the account has no room for them.
 */
export async function countAdded(
  executor: Executor,
  { id, accountId }: { readonly id: string; readonly accountId: string },
  { name, storedBytes }: Plan,
  bytes: number,
): Promise<void> {
  // Two requests must not both find the last room.
  await executor.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`added/${accountId}`}, 0))`)
  const [row] = await executor
    .select({ added: sql<string>`coalesce(sum(${sessions.addedBytes}), 0)` })
    .from(sessions)
    .where(and(eq(sessions.accountId, accountId), gt(sessions.addedBytes, 0)))
  const max = Math.max(storedBytes, least)
  if (Number(row?.added ?? 0) + bytes > max) {
    const size = `${(max / mebibyte).toLocaleString('en-US')} MiB`
    throw new ServiceError(
      'invalid_value',
      `The plan "${name}" stores ${size} of items that were added to conversations. Delete conversations or items to make room.`,
      { param: 'items' },
    )
  }
  await changeAdded(executor, id, bytes)
}

/** Frees the room of a message. */
export function uncountAdded(executor: Executor, sessionId: string, message: ModelMessage): Promise<void> {
  return changeAdded(executor, sessionId, -bytesOf([message]))
}

async function changeAdded(executor: Executor, sessionId: string, bytes: number): Promise<void> {
  await executor
    .update(sessions)
    // Messages of earlier versions were not counted.
    .set({ addedBytes: sql`greatest(${sessions.addedBytes} + ${bytes}, 0)` })
    .where(eq(sessions.id, sessionId))
}
