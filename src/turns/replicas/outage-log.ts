import { reasonOf } from '../../db/errors.ts'
import type { Logger } from '../../log.ts'

/** Logs that something has stopped working and that it works again, not each of its attempts in between. */
export type OutageLog = { failed(error: unknown): void; works(): void }

/** @param what is interrupted, such as `signals between replicas`. */
export function createOutageLog(log: Logger, what: string): OutageLog {
  let failing = false
  return {
    failed(error) {
      if (!failing) log.warn({ reason: reasonOf(error) }, `${what}: interrupted`)
      failing = true
    },
    works() {
      if (failing) log.info(`${what}: restored`)
      failing = false
    },
  }
}
