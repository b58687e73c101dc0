import { and, eq } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { managementRequests } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'

/** A request of the management API that may come twice. */
export type RepeatedRequest = {
  readonly accountId: string
  /** Its `Idempotency-Key`. */
  readonly key: string
  /** SHA-256 of what is asked for. */
  readonly hash: Buffer
}

/**
 * Does a request once for its key: the same request again gets the first reply.
 * @param tx the transaction of `work`, so that both are committed or neither; it must see the rows of the account.
 * @param withoutSecret the reply as it may be stored and repeated.
 * @throws ServiceError `idempotency_key_reused` for another request with the same key.
 */
export async function doOnce<Reply extends object>(
  tx: Executor,
  { accountId, key, hash }: RepeatedRequest,
  work: () => Promise<Reply>,
  withoutSecret: (reply: Reply) => Reply,
): Promise<Reply> {
  // A second request with the key waits here for the first one, and then finds its row.
  const claimed = await tx
    .insert(managementRequests)
    .values({ accountId, key, requestHash: hash, reply: {} })
    .onConflictDoNothing()
  const named = and(eq(managementRequests.accountId, accountId), eq(managementRequests.key, key))
  if (claimed.rowCount === 0) {
    const [known] = await tx.select().from(managementRequests).where(named)
    if (known?.requestHash.equals(hash)) return known.reply as Reply
    throw new ServiceError(
      'idempotency_key_reused',
      'This `Idempotency-Key` was used for another request. Send a new one, or the same request.',
    )
  }
  const reply = await work()
  await tx
    .update(managementRequests)
    .set({ reply: withoutSecret(reply) })
    .where(named)
  return reply
}
