import { ServiceError } from '../../errors.ts'
import type { TerminalEvent } from '../../turns/run/run-events.ts'

/**
 * The error reply for a failed run. Only a run without cost gets one; otherwise the failure is part of a
 * completion.
 */
export function failureReply(event: TerminalEvent): ServiceError | undefined {
  if (event.type !== 'run.failed' || event.end.usage.cost_micros !== '0') return undefined
  const code = event.code === 'upstream_failed' ? 'upstream_error' : event.code
  // A retry returns the same run, so it cannot help. The process that ran the turn has logged its failure.
  return new ServiceError(code, event.message, { shouldRetry: false, logged: true })
}
