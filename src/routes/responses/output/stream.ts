import type { StreamOut } from '../../../http/connection/stream.ts'
import { followCommitted } from '../../../turns/reading/follow.ts'
import type { CommittedEvent } from '../../../turns/recording/event-log.ts'
import type { Run } from '../../../turns/run/run.ts'
import { isTerminal } from '../../../turns/run/run-events.ts'
import type { Services } from '../../../turns/services.ts'
import type { ReplyOutcome } from '../../turn-reply/delivery.ts'
import { openBlock } from '../../turn-reply/wire.ts'
import { responseId } from '../ids.ts'
import type { StreamEvent } from './events.ts'
import { ResponseReader } from './reader.ts'

/**
 * Writes the events of a response as server-sent events, from the first or from the one after `startingAfter`, up to its end.
 * They are made of committed events only, also where the run is driven: numbers have to be the same for every reader on
 * every replica, and those of events that are not committed could be given away again.
 * @param notes of a stream that is the reply to a request for a turn.
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
  // Headers go with the first bytes.
  await out.add(framesOf(reader.start()) || ': connected\n\n')
  let ended = false
  let takenBackAt: number | undefined
  const hear = async (batch: readonly CommittedEvent[]) => {
    const { events, contradicted } = reader.take(batch)
    takenBackAt = contradicted
    ended = contradicted === undefined && batch.some(({ event }) => isTerminal(event))
    if (ended) notes?.complete()
    await out.add(framesOf(events))
    return ended || contradicted !== undefined
  }
  // At first all that there is, so that text that was taken back by then is known as such.
  await followCommitted(services, run, 0, left, hear, { together: true })
  if (ended || left.aborted) return
  await notes?.cutShort()
  await out.add(framesOf([interruption(run, takenBackAt ?? reader.last)]))
}

function framesOf(events: readonly StreamEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

/**
 * Not the end of the response, which goes on. Its number is one that the reader is known by: of the last event that it
 * has, or of the place where text that it has was taken back.
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
