import type { ServerContext } from '@modelcontextprotocol/server'
import type { RunEvent } from '../../turns/run/run-events.ts'

/** Minimum time between two reports about the growing text. */
const textEveryMs = 1_000

/**
 * Reports the steps of a turn as progress notifications, if the request has a progress token. The total is unknown, so
 * `progress` only counts upwards, as the specification requires.
 * @returns a listener for batches of the run's events.
 */
export function createProgress(
  ctx: ServerContext,
): (events: readonly RunEvent[]) => Promise<void> | undefined {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => undefined
  let [progress, characters, reportedAt] = [0, 0, Number.NEGATIVE_INFINITY]
  const report = (message: string) => {
    progress += 1
    const params = { progressToken, progress, message }
    return ctx.mcpReq.notify({ method: 'notifications/progress', params })
  }
  return async (events) => {
    for (const event of events) {
      const message = messageOf(event)
      if (message !== undefined) await report(message)
      if (event.type === 'text.delta') characters += event.text.length
    }
    if (characters === 0 || performance.now() - reportedAt < textEveryMs) return
    reportedAt = performance.now()
    await report(`Writing the answer: ${characters} characters`)
  }
}

function messageOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run.queued':
      return 'Waiting for an earlier turn of the session'
    case 'tool.started':
      return event.title
    case 'file':
      return `Wrote ${event.file.filename}`
    default:
      return undefined
  }
}
