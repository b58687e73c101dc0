import { createHash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Executor } from '../../db/client.ts'
import { managementRequests } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import { principalOf } from '../../http/auth.ts'

/** Characters of an `Idempotency-Key`, as for turns. */
const maxKeyLength = 255

/**
 * Does a request once for its `Idempotency-Key`: the same request again gets the first reply. A request without the header
 * is done each time.
 * @param tx the transaction of `work`, so that both are committed or neither; it must see the rows of the caller's account.
 * @param withoutSecret the reply as it may be stored and repeated.
 * @throws ServiceError `idempotency_key_reused` for another request with the same key.
 */
export async function doOnce<Reply extends object>(
  tx: Executor,
  request: FastifyRequest,
  work: () => Promise<Reply>,
  withoutSecret: (reply: Reply) => Reply = (reply) => reply,
): Promise<Reply> {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string' || key === '') return work()
  if (key.length > maxKeyLength)
    throw new ServiceError('invalid_value', `\`Idempotency-Key\`: at most ${maxKeyLength} characters.`)
  const { accountId } = principalOf(request)
  const requestHash = createHash('sha256')
    .update(`${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`)
    .digest()
  // A second request with the key waits here for the first one, and then finds its row.
  const claimed = await tx
    .insert(managementRequests)
    .values({ accountId, key, requestHash, reply: {} })
    .onConflictDoNothing()
  const named = and(eq(managementRequests.accountId, accountId), eq(managementRequests.key, key))
  if (claimed.rowCount === 0) {
    const [known] = await tx.select().from(managementRequests).where(named)
    if (known?.requestHash.equals(requestHash)) return known.reply as Reply
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
