import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalidValue } from '../../errors.ts'
import { followCommitted, type ReaderServices } from '../../turns/read/follow.ts'
import type { CommittedEvent } from '../../turns/record/run-log.ts'
import type { Run } from '../../turns/run/run.ts'
import { disconnectSignal } from '../connection/disconnect.ts'
import { type StreamOut, sendEvents } from '../connection/stream.ts'
import { wholeNumber } from '../openapi/whole-number.ts'
import { checkPart } from '../openapi/zod.ts'
import { eventData } from './event-data.ts'

/** The `seq` that a client sends when it connects again. */
export const eventPosition = wholeNumber(0, 2_147_483_647)

/**
 * Streams the committed events of a run as server-sent events until the run ends, whichever replica drives
 * it. Starts after `startingAfter`, otherwise after `Last-Event-ID`, otherwise at the first event.
 * @param body the JSON of an event.
 * @throws InputError when `Last-Event-ID` is not a position, ServiceError `invalid_value` for a position after the last event.
 */
export function sendRunEvents(
  services: ReaderServices,
  request: FastifyRequest,
  reply: FastifyReply,
  run: Run,
  {
    startingAfter,
    body,
  }: { readonly startingAfter: number | undefined; readonly body: (event: CommittedEvent) => object },
): FastifyReply {
  const after = startingAfter ?? lastEventId(request) ?? 0
  // Otherwise the stream of an ended run would be empty, and that of a running one would leave events out.
  if (after > run.eventCount) {
    const param = startingAfter === undefined ? 'Last-Event-ID' : 'starting_after'
    const message = `\`${param}\` is ${after}, but the run has ${run.eventCount} events. Send the \`seq\` of its last event that you have.`
    throw invalidValue(message, param)
  }
  const left = disconnectSignal(reply)
  const write = async (out: StreamOut) => {
    // Headers are sent with the first bytes: this comment shows the client of a queued run that it is
    // connected.
    await out.add(': connected\n\n')
    await followCommitted(services, run, after, left, async ({ events }) => {
      await out.add(events.map((item) => frameOf(item, body(item))).join(''))
      return false
    })
  }
  return sendEvents(reply, write)
}

/** A browser's EventSource sends this header when it connects again. */
function lastEventId(request: FastifyRequest): number | undefined {
  const sent = request.headers['last-event-id']
  if (sent === undefined || sent === '') return undefined
  return checkPart(eventPosition, sent, ['Last-Event-ID'])
}

function frameOf({ seq, event }: CommittedEvent, body: object): string {
  return `id: ${seq}\nevent: ${event.type}\ndata: ${eventData(body)}\n\n`
}
