import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { creditsNumber, creditsText } from '../../billing/credits.ts'
import { withTx } from '../../db/client.ts'
import { resourceOf } from '../../http/auth.ts'
import type { ResourceLookup } from '../../http/connection/fastify.ts'
import { unixSeconds } from '../../http/lists.ts'
import type { BodyOf, RouteDocs } from '../../http/openapi/docs.ts'
import type { ZodTypes } from '../../http/openapi/zod.ts'
import { explainRun } from '../../turns/read/explain.ts'
import type { Run } from '../../turns/run/run.ts'
import { type RunEnd, type RunUsage, replyOf } from '../../turns/run/run-events.ts'
import type { RunRequest } from '../../turns/run/run-request.ts'
import { findRun, requestCancel } from '../../turns/run/runs.ts'
import type { Services } from '../../turns/services.ts'
import { contentOf, fileBody, quotationsOf, sourcesOf, usageDetails } from '../turn-reply/wire.ts'
import { runSchema } from './run-schema.ts'

export const namedRun: ResourceLookup = (tx, principal, params) => findRun(tx, principal, params['id'] ?? '')

type RunBody = BodyOf<typeof runSchema>

const getQuery = z.object({ explain: z.enum(['true', 'false']).optional() })

const getDocs: RouteDocs = { summary: 'Get a run', tag: 'Runs', response: runSchema }
const cancelDocs: RouteDocs = {
  summary: 'Cancel a run',
  description: 'Marks it to be stopped; its events tell when it has. A run that has ended stays as it is.',
  tag: 'Runs',
  response: runSchema,
}

/** `GET /v1/agent/runs/{id}`, `POST /v1/agent/runs/{id}/cancel` */
export function runRoutes(app: FastifyInstance, services: Services): void {
  const one = { scope: 'chat:write' as const, resource: namedRun }

  app
    .withTypeProvider<ZodTypes>()
    .get(
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
    const marked = await withTx(services.database, run, async (tx) => {
      await requestCancel(tx, run.id)
      return run
    })
    services.runner.cancel(run.id)
    return runBody(marked)
  })
}

/** A run as the API returns it. */
export function runBody(run: Run): RunBody {
  const reply = replyOf(run)
  const usage: Partial<RunUsage> = reply?.end.usage ?? {}
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
      prompt_tokens: usage.prompt_tokens ?? 0,
      completion_tokens: usage.completion_tokens ?? 0,
      total_tokens: usage.total_tokens ?? 0,
      ...usageDetails(usage),
      model_calls: usage.model_calls ?? 0,
      tool_calls: usage.tool_calls ?? 0,
      estimated: usage.estimated ?? false,
      ...(usage.left_out && { left_out: usage.left_out }),
      ...(usage.upstreams && { upstreams: usage.upstreams }),
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
