import { reasonOf } from '../../db/errors.ts'
import type { Logger } from '../../log.ts'

export type OutageLog = ReturnType<typeof createOutageLog>

/**
 * Logs when something fails for the first time and when it works again, but not each attempt in between.
 * @param what names the interrupted work, such as `signals between replicas`.
 */
export function createOutageLog(log: Logger, what: string) {
  let failing = false
  return {
    failed(error: unknown) {
      if (!failing) log.warn({ reason: reasonOf(error) }, `${what}: interrupted`)
      failing = true
    },
    works() {
      if (failing) log.info(`${what}: restored`)
      failing = false
    },
  }
}
