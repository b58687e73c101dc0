import { once } from 'node:events'
import type { FastifyReply } from 'fastify'
import { disconnectSignal } from '../connection/disconnect.ts'
import { createWorkLimit } from './work-limits.ts'

export type MessageReads = ReturnType<typeof createMessageReads>

/**
 * Limits the replies with messages of an account that are made or sent at the same time. A page of messages can have
 * 4 MiB, and a count of tokens reads a whole conversation.
 */
export function createMessageReads() {
  const limit = createWorkLimit({
    what: 'reads of conversations',
    maxRunning: 4,
    maxWaiting: 100,
    retryAfterSeconds: 1,
  })
  return {
    /**
     * Makes a reply when the account has a slot, which it has until the client has read the reply.
     * @throws ServiceError `rate_limit_exceeded` when the queue is full; what `work` throws.
     */
    run: <T>(accountId: string, reply: FastifyReply, work: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        const { raw } = reply
        const made = limit.run(accountId, disconnectSignal(reply), async () => {
          resolve(await work())
          if (!raw.closed) await once(raw, 'close')
        })
        made.catch(reject)
      }),
  }
}
