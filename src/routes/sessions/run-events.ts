import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { resourceOf } from '../../http/auth.ts'
import type { BodyOf, RouteDocs } from '../../http/openapi/docs.ts'
import type { ZodTypes } from '../../http/openapi/zod.ts'
import { eventPosition, sendRunEvents } from '../../http/transfers/run-events.ts'
import type { CommittedEvent } from '../../turns/record/run-log.ts'
import type { Run } from '../../turns/run/run.ts'
import { isTerminal } from '../../turns/run/run-events.ts'
import type { Services } from '../../turns/services.ts'
import { fileBody, quotationsOf, sourcesOf, turnUsageBody } from '../turn-reply/wire.ts'
import { runEvent } from './run-schema.ts'
import { namedRun } from './runs.ts'

const query = z.object({
  starting_after: eventPosition.optional().describe('`seq` of the last event that is known already'),
})

const docs: RouteDocs = {
  summary: 'Follow the events of a run',
  description: `Server-sent events from the first one, or from the one after \`starting_after\` (else \`Last-Event-ID\`), \
up to the run's end, whichever replica drives it. Each event has \`id:\` (its \`seq\`), \`event:\` (its \`type\`) and \
one \`data:\` line, whose JSON the schema describes. The stream begins with the comment \`: connected\`, and after ten \
seconds of silence comes \`: keep-alive\`. Order: \`run.queued\`? \`run.started\` (\`step.started\` \`text.delta\`* \
(\`tool.started\`* \`tool.finished\`* \`file\`*)?)* and one of \`run.completed\`, \`run.failed\`, \`run.cancelled\`, \
which ends it. \`step.restarted\` voids the events from \`void_from_seq\` on. A connection that closes before the end of \
the run, because its replica shuts down for example, is taken up again on any replica after the last \`id\`.`,
  tag: 'Runs',
  content: [{ type: 'text/event-stream', schema: runEvent }],
  requestHeaders: { 'Last-Event-ID': 'What a browser sends when it connects again.' },
}

/**
 * `GET /v1/agent/runs/{id}/events`: the events of a run, from any replica and any position, during the run
 * and afterwards.
 */
export function runEventRoutes(root: FastifyInstance, services: Services): void {
  root
    .withTypeProvider<ZodTypes>()
    .get(
      '/agent/runs/:id/events',
      { config: { scope: 'chat:write', resource: namedRun, docs }, schema: { querystring: query } },
      async (request, reply) => {
        const run = resourceOf<Run>(request)
        const startingAfter = request.query.starting_after
        return sendRunEvents(services, request, reply, run, { startingAfter, body: eventBody })
      },
    )
}

/** Writes files and amounts in the form of the other routes. */
function eventBody({ seq, event }: CommittedEvent): BodyOf<typeof runEvent> {
  if (event.type === 'file') return { seq, ...event, file: fileBody(event.file) }
  if (!isTerminal(event)) return { seq, ...event }
  const { tools_used: _, ...end } = event.end
  return {
    seq,
    ...event,
    end: {
      ...end,
      sources: sourcesOf(event.end),
      quotations: quotationsOf(event.end),
      files: end.files.map(fileBody),
      usage: turnUsageBody(end.usage),
    },
  }
}
