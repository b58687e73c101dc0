import type { StreamOut } from '../../../http/connection/stream.ts'
import { eventData } from '../../../http/transfers/event-data.ts'
import { followCommitted } from '../../../turns/read/follow.ts'
import type { Log } from '../../../turns/record/run-log.ts'
import type { Run } from '../../../turns/run/run.ts'
import { isTerminal } from '../../../turns/run/run-events.ts'
import type { Services } from '../../../turns/services.ts'
import type { ReplyOutcome } from '../../turn-reply/delivery.ts'
import { openBlock } from '../../turn-reply/service-block.ts'
import { responseId } from '../ids.ts'
import type { StreamEvent } from './events.ts'
import { ResponseReader } from './reader.ts'

/**
 * Streams the events of a response as server-sent events, after `startingAfter` if set, until it ends. It
 * uses committed events only, even on the replica that drives the run, so that all clients get the same
 * numbers.
 * @param notes outcome listener, set if the stream is the reply to a request for a turn.
 */
export async function responseStream(
  services: Services,
  run: Run,
  startingAfter: number | undefined,
  left: AbortSignal,
  out: StreamOut,
  notes?: ReplyOutcome,
): Promise<void> {
  const reader = new ResponseReader(run, startingAfter)
  // The first bytes also send the headers.
  await out.add(framesOf(reader.start()) || ': connected\n\n')
  let ended = false
  let takenBackAt: number | undefined
  const hear = async ({ events: batch }: Log) => {
    const { events, contradicted } = reader.take(batch)
    takenBackAt = contradicted
    ended = contradicted === undefined && batch.some(({ event }) => isTerminal(event))
    if (ended) notes?.complete()
    await out.add(framesOf(events))
    return ended || contradicted !== undefined
  }
  // The first batch contains all events so far, so that void text is known before anything is sent.
  await followCommitted(services, run, 0, left, hear, { together: true })
  if (ended || left.aborted) return
  await notes?.cutShort()
  await out.add(framesOf([interruption(run, takenBackAt ?? reader.last)]))
}

function framesOf(events: readonly StreamEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${eventData(event)}\n\n`).join('')
}

/**
 * The event that ends a stream while the response continues. Its number is valid for `starting_after`: the
 * last event that the client has, or the entry of void text.
 */
function interruption(run: Run, number: number): StreamEvent {
  const failure = {
    code: 'run_failed',
    message: `The stream was interrupted. The response goes on: read it from its start, GET /v1/responses/${responseId(run)}?stream=true, or send the request again.`,
    param: null,
  }
  return {
    type: 'error',
    sequence_number: Math.max(number, 0),
    ...failure,
    error: { type: 'invalid_request_error', ...failure, x_service: openBlock(run, 'in_progress') },
  }
}
