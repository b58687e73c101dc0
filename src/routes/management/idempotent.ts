import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { doOnce } from '../../accounts/repeated-requests.ts'
import type { Executor } from '../../db/client.ts'
import { invalidValue } from '../../errors.ts'
import { principalOf } from '../../http/auth.ts'

/** Characters of an `Idempotency-Key`, as for turns. */
const maxKeyLength = 255

/** As `doOnce`, by the header of a request. A request without `Idempotency-Key` is done each time. */
export async function onceFor<Reply extends object>(
  tx: Executor,
  request: FastifyRequest,
  work: () => Promise<Reply>,
  withoutSecret: (reply: Reply) => Reply = (reply) => reply,
): Promise<Reply> {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string' || key === '') return work()
  if (key.length > maxKeyLength)
    throw invalidValue(`\`Idempotency-Key\`: at most ${maxKeyLength} characters.`)
  const { accountId } = principalOf(request)
  const hash = createHash('sha256')
    .update(`${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`)
    .digest()
  return doOnce(tx, { accountId, key, hash }, work, withoutSecret)
}
