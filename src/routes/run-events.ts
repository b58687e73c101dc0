import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { resourceOf } from '../http/auth.ts'
import { disconnectSignal } from '../http/disconnect.ts'
import { sendStream, withFiller } from '../http/stream.ts'
import { InputError, type ZodTypes } from '../http/zod.ts'
import type { CommittedEvent } from '../turns/event-log.ts'
import { followCommitted } from '../turns/follow.ts'
import type { Run } from '../turns/start-turn.ts'
import { namedRun } from './runs.ts'
import type { Services } from './services.ts'

const keepAliveMs = 10_000

const position = z.coerce.number().int().min(0).max(2_147_483_647)
const query = z.object({ starting_after: position.optional() })

/** `GET /v1/agent/runs/{id}/events`: a run from any replica, while it goes on and afterwards, from any event on. */
export function runEventRoutes(root: FastifyInstance, services: Services): void {
  root
    .withTypeProvider<ZodTypes>()
    .get(
      '/agent/runs/:id/events',
      { config: { scope: 'chat:write', resource: namedRun }, schema: { querystring: query } },
      async (request, reply) => {
        const run = resourceOf<Run>(request)
        const after = request.query.starting_after ?? lastEventId(request) ?? 0
        const frames = eventFrames(services, run, after, disconnectSignal(reply))
        return sendStream(
          reply,
          'text/event-stream; charset=utf-8',
          withFiller(frames, keepAliveMs, () => ': keep-alive\n\n'),
        )
      },
    )
}

/** What a browser's EventSource sends when it connects again. */
function lastEventId(request: FastifyRequest): number | undefined {
  const sent = request.headers['last-event-id']
  if (sent === undefined || sent === '') return undefined
  const parsed = position.safeParse(sent)
  if (parsed.success) return parsed.data
  throw new InputError(
    new z.ZodError(parsed.error.issues.map((issue) => ({ ...issue, path: ['Last-Event-ID'] }))),
  )
}

async function* eventFrames(
  services: Services,
  run: Run,
  after: number,
  left: AbortSignal,
): AsyncGenerator<string> {
  // Headers go with the first bytes: a reader of a run that waits learns at once that it is connected.
  yield ': connected\n\n'
  for await (const events of followCommitted(services, run, after, left)) yield events.map(frame).join('')
}

function frame({ seq, event }: CommittedEvent): string {
  return `id: ${seq}\nevent: ${event.type}\ndata: ${JSON.stringify({ seq, ...event })}\n\n`
}
