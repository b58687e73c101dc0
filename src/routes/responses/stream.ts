import { withTx } from '../../db/client.ts'
import { messageOf } from '../../errors.ts'
import type { CommittedEvent } from '../../turns/event-log.ts'
import { followCommitted } from '../../turns/follow.ts'
import { readOn } from '../../turns/kept-events.ts'
import { isTerminal } from '../../turns/run-events.ts'
import type { Run } from '../../turns/start-turn.ts'
import { openBlock } from '../chat/wire.ts'
import type { Services } from '../services.ts'
import type { StreamEvent } from './events.ts'
import { responseId } from './ids.ts'
import { ResponseReader } from './reader.ts'

/**
 * The events of a response as server-sent events, from the first or from the one after `startingAfter`, up to its end.
 * They are made of committed events only, also where the run is driven: numbers have to be the same for every reader on
 * every replica, and those of events that are not committed could be given away again.
 * @param cutShort called before a stream ends although the turn goes on.
 */
export async function* responseStream(
  services: Services,
  run: Run,
  startingAfter: number | undefined,
  left: AbortSignal,
  cutShort: () => Promise<void> = async () => {},
): AsyncGenerator<string> {
  const reader = new ResponseReader(run, startingAfter)
  // Headers go with the first bytes.
  yield framesOf(reader.start()) || ': connected\n\n'
  let takenBackAt: number | undefined
  try {
    for await (const batch of fromTheFirst(services, run, left)) {
      const { events, contradicted } = reader.take(batch)
      const frames = framesOf(events)
      if (frames !== '') yield frames
      takenBackAt = contradicted
      if (takenBackAt !== undefined) break
      if (batch.some(({ event }) => isTerminal(event))) return
    }
  } catch (error) {
    services.log.warn({ runId: run.id, reason: messageOf(error) }, 'a reader of a response was given up')
  }
  if (left.aborted) return
  await cutShort()
  yield framesOf([interruption(run, takenBackAt ?? reader.last)])
}

/** At first all that there is, so that text that was taken back by then is known as such. */
async function* fromTheFirst(
  services: Services,
  run: Run,
  signal: AbortSignal,
): AsyncGenerator<readonly CommittedEvent[]> {
  const { events, over } = await withTx(services.database, run, (tx) => readOn(tx, run.id, 0))
  yield events
  if (!over) yield* followCommitted(services, run, events.at(-1)?.seq ?? 0, signal)
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
