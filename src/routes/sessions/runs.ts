import { z } from 'zod'
import { creditsNumber, creditsText } from '../../billing/credits.ts'
import { withTx } from '../../db/client.ts'
import { resourceOf } from '../../http/auth.ts'
import { unixSeconds } from '../../http/lists.ts'
import { type BodyOf, count, instant, type RouteDocs } from '../../http/openapi/docs.ts'
import type { Api } from '../../http/openapi/zod.ts'
import { eventPosition, sendRunEvents } from '../../http/transfers/run-events.ts'
import { explainRun } from '../../turns/read/explain.ts'
import type { CommittedEvent } from '../../turns/record/run-log.ts'
import type { Run } from '../../turns/run/run.ts'
import { isTerminal, type RunEnd, replyOf } from '../../turns/run/run-events.ts'
import type { RunRequest } from '../../turns/run/run-request.ts'
import { findRun, requestCancel } from '../../turns/run/runs.ts'
import type { Services } from '../../turns/services.ts'
import { fileBody, quotationsOf, sourcesOf, turnUsageBody } from '../turn-reply/service-block.ts'
import {
  citedSource,
  fileChange,
  finishReason,
  freeQuotation,
  runStatus,
  turnUsage,
  unknownRef,
} from '../turn-reply/turn-schema.ts'
import { contentOf, noUsage } from '../turn-reply/wire.ts'

const outputItem = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('message'),
      id: z.string(),
      role: z.literal('assistant'),
      content: z.string(),
    }),
    z.object({ type: z.literal('tool_call'), id: z.string(), name: z.string(), arguments: z.string() }),
    z.object({ type: z.literal('source'), ...citedSource.shape }),
    z.object({ type: z.literal('quotation'), ...freeQuotation.shape }),
    z.object({ type: z.literal('question_quotation'), ...freeQuotation.shape }),
    z.object({ type: z.literal('file'), ...fileChange.shape }),
  ])
  .meta({ id: 'RunOutputItem' })

export const runSchema = z
  .object({
    id: z.string(),
    object: z.literal('agent.run'),
    status: runStatus,
    sessionId: z.string(),
    messageId: z.string().describe('Id of the message that the run writes'),
    model: z.string(),
    instructions: z
      .object({
        prompt: z.string().describe('The prompt of the service'),
        host: z.string().nullable().describe('The instructions of the host; null: none'),
        project: z.string().nullable().describe('The instructions of the project; null: none'),
      })
      .nullable()
      .describe(
        'What the model was told, as SHA-256 of each text; null for runs of version 0.2.0. `GET /v1/projects/{id}/instructions/{hash}` has the texts of the project',
      ),
    output: z.array(outputItem).describe('Empty until the run has ended'),
    error: z.string().describe('What went wrong; empty when nothing did'),
    credits: z.string().describe('What the ledger was charged, as decimal text'),
    usage: turnUsage,
    created_at: instant,
    started_at: instant.nullable(),
    finished_at: instant.nullable(),
    explanation: z
      .array(z.string())
      .optional()
      .describe(
        'With `explain=true`: why it was admitted, what it held and paid, which attempts and models took part',
      ),
  })
  .meta({ id: 'Run' })

const runEnd = z
  .object({
    text: z.string().describe('The answer without its list of sources'),
    refusal: z
      .string()
      .optional()
      .describe('The words with which the model refused to answer. Absent if it did not'),
    source_list: z.string().describe('The list that closes the shown text; may be empty'),
    sources: z.array(citedSource),
    citations: z.array(z.object({ n: z.int().min(1), start: count, end: count })),
    unknown_marks: count.describe('Citations of sources that the model was never given; they were left out'),
    unknown_refs: z.array(unknownRef),
    quotations: z.array(freeQuotation).optional().describe('Absent in ends that an earlier version logged'),
    question_quotations: z
      .array(freeQuotation)
      .optional()
      .describe(
        'Quotations of the question: those that it attributes to a work or a place, and those that the library has. Absent if there are none',
      ),
    files: z.array(fileChange),
    tool_calls: z
      .array(z.object({ id: z.string(), name: z.string(), arguments: z.string() }))
      .describe('Calls of the client’s own tools'),
    usage: turnUsage,
  })
  .meta({ id: 'RunEnd', description: 'What every end of a run tells.' })

const seq = z.int().min(1).describe('Position in the log; also the id of the SSE event')
const step = z.int().min(0)

const runEvent = z
  .discriminatedUnion('type', [
    z.object({ seq, type: z.literal('run.queued') }),
    z.object({ seq, type: z.literal('run.started') }),
    z.object({ seq, type: z.literal('step.started'), step }),
    z.object({ seq, type: z.literal('step.restarted'), step, void_from_seq: z.int().min(1) }),
    z.object({
      seq,
      type: z.literal('text.delta'),
      step,
      text: z.string(),
      cited: z
        .array(z.object({ n: z.int().min(1), ref: z.string() }))
        .optional()
        .describe('Sources that the answer cites here for the first time, with their numbers'),
    }),
    z.object({ seq, type: z.literal('tool.started'), step, name: z.string(), title: z.string() }),
    z.object({ seq, type: z.literal('tool.finished'), step, name: z.string(), ok: z.boolean() }),
    z.object({ seq, type: z.literal('file'), step, file: fileChange }),
    z.object({ seq, type: z.literal('run.completed'), reason: finishReason, end: runEnd }),
    z.object({
      seq,
      type: z.literal('run.failed'),
      code: z.enum(['run_failed', 'upstream_failed', 'context_length_exceeded', 'invalid_value']),
      message: z.string(),
      param: z.string().optional().describe('The parameter that the model’s server refused'),
      end: runEnd,
    }),
    z.object({ seq, type: z.literal('run.cancelled'), end: runEnd }),
  ])
  .meta({ id: 'RunEvent', description: 'The JSON of one `data:` line of a run’s events.' })

type RunBody = BodyOf<typeof runSchema>

const getQuery = z.object({ explain: z.enum(['true', 'false']).optional() })

const getDocs: RouteDocs = { summary: 'Get a run', tag: 'Runs', response: runSchema }
const cancelDocs: RouteDocs = {
  summary: 'Cancel a run',
  description: 'Marks it to be stopped; its events tell when it has. A run that has ended stays as it is.',
  tag: 'Runs',
  response: runSchema,
}

const eventsQuery = z.object({
  starting_after: eventPosition.optional().describe('`seq` of the last event that is known already'),
})

const eventsDocs: RouteDocs = {
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

/** `/v1/agent/runs/{id}`: a run, its events from any replica and any position, and its end. */
export function runRoutes(app: Api, services: Services): void {
  const one = { scope: 'chat:write' as const, resource: findRun }

  app.get(
    '/agent/runs/:id',
    { config: { ...one, docs: getDocs }, schema: { querystring: getQuery } },
    async (request) => {
      const run = resourceOf<Run>(request)
      if (request.query.explain !== 'true') return runBody(run)
      const explanation = await withTx(services.database, run, (tx) => explainRun(tx, run))
      return { ...runBody(run), explanation: [...explanation] }
    },
  )

  app.post('/agent/runs/:id/cancel', { config: { ...one, docs: cancelDocs } }, async (request) => {
    const run = resourceOf<Run>(request)
    await withTx(services.database, run, (tx) => requestCancel(tx, run.id))
    services.runner.cancel(run.id)
    return runBody(run)
  })

  app.get(
    '/agent/runs/:id/events',
    { config: { ...one, docs: eventsDocs }, schema: { querystring: eventsQuery } },
    async (request, reply) => {
      const startingAfter = request.query.starting_after
      return sendRunEvents(services, request, reply, resourceOf<Run>(request), {
        startingAfter,
        body: eventBody,
      })
    },
  )
}

const noTurnUsage = { ...noUsage, model_calls: 0, tool_calls: 0, estimated: false }

/** A run as the API returns it. */
export function runBody(run: Run): RunBody {
  const reply = replyOf(run)
  const { prompt } = run.request as RunRequest
  return {
    id: run.id,
    object: 'agent.run',
    status: run.status,
    sessionId: run.sessionId,
    messageId: run.messageId,
    model: run.model,
    instructions: prompt ? { prompt: prompt.own, host: prompt.host, project: run.projectInstructions } : null,
    output: reply ? outputOf(run, reply.end) : [],
    error: reply?.type === 'run.failed' ? reply.message : '',
    credits: creditsText(run.costMicros),
    usage: {
      ...(reply ? turnUsageBody(reply.end.usage) : noTurnUsage),
      cost: creditsNumber(run.costMicros),
    },
    created_at: unixSeconds(run.createdAt),
    started_at: run.startedAt ? unixSeconds(run.startedAt) : null,
    finished_at: run.finishedAt ? unixSeconds(run.finishedAt) : null,
  }
}

function outputOf(run: Run, end: RunEnd): RunBody['output'] {
  const content = contentOf(end)
  return [
    ...(content === ''
      ? []
      : [{ type: 'message' as const, id: run.messageId, role: 'assistant' as const, content }]),
    ...end.tool_calls.map((call) => ({ type: 'tool_call' as const, ...call })),
    ...sourcesOf(end).map((source) => ({ type: 'source' as const, ...source })),
    ...quotationsOf(end).map((quotation) => ({ type: 'quotation' as const, ...quotation })),
    ...(end.question_quotations ?? []).map((quotation) => ({
      type: 'question_quotation' as const,
      ...quotation,
    })),
    ...end.files.map((file) => ({ type: 'file' as const, ...fileBody(file) })),
  ]
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
