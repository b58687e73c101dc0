import { ServiceError } from '../../errors.ts'
import type { TerminalEvent } from '../../turns/run/run-events.ts'

/** The error with which a whole reply can still answer: only while the run has cost nothing. */
export function failureReply(event: TerminalEvent): ServiceError | undefined {
  if (event.type !== 'run.failed' || event.end.usage.cost_micros !== '0') return undefined
  const code = event.code === 'upstream_failed' ? 'upstream_error' : event.code
  // The same request finds the same run again, so trying again cannot help.
  return new ServiceError(code, event.message, { shouldRetry: false })
}
