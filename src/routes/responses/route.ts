import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../db/client.ts'
import { notFound } from '../../errors.ts'
import { principalOf, resourceOf } from '../../http/auth.ts'
import { disconnectSignal } from '../../http/connection/disconnect.ts'
import { sendEvents } from '../../http/connection/stream.ts'
import { bodyBytes } from '../../http/limits/bounds.ts'
import type { MessageReads } from '../../http/limits/message-reads.ts'
import { pageQuery } from '../../http/lists.ts'
import type { BodyOf } from '../../http/openapi/docs.ts'
import { wholeNumber } from '../../http/openapi/whole-number.ts'
import type { Api } from '../../http/openapi/zod.ts'
import { followCommitted } from '../../turns/read/follow.ts'
import type { Run } from '../../turns/run/run.ts'
import { isTerminal, replyOf } from '../../turns/run/run-events.ts'
import { findRun, requestCancel } from '../../turns/run/runs.ts'
import type { Services } from '../../turns/services.ts'
import { deleteRun, findMessage } from '../../turns/sessions/conversations.ts'
import { listInput } from '../../turns/sessions/sessions.ts'
import { type ChatPace, defaultPace, TurnReply, type WholeBodies } from '../turn-reply/delivery.ts'
import { decorateResponseRequests, namedResponse, resolveResponseContext } from './context.ts'
import { cancelDocs, createDocs, deleteDocs, getDocs, inputItemsDocs, type responseDeleted } from './docs.ts'
import { responseId } from './ids.ts'
import { type ResponsesBody, responsesBody } from './input/schema.ts'
import { inputTokenRoutes } from './input-tokens.ts'
import { listItems } from './output/items.ts'
import { endedResponse, openResponse, type ResponseBody } from './output/response-body.ts'
import { responseStream } from './output/stream.ts'
import { startResponse } from './start-response.ts'

/** Maximum time that a cancel request waits for the end of the run. */
const cancelWaitMs = 5_000

const retrieveQuery = z
  .object({
    stream: z
      .enum(['true', 'false'])
      .default('false')
      .describe('`true`: the events of the response instead of its body'),
    starting_after: wholeNumber(0, 2_147_483_647)
      .optional()
      .describe('`sequence_number` of the last event that is known already; with `stream` only'),
  })
  .refine((query) => query.starting_after === undefined || query.stream === 'true', {
    error: 'is for streams: send `stream=true` with it',
    path: ['starting_after'],
  })

/** `/v1/responses`: a second API for the same runs. */
export function responsesRoutes(app: Api, services: Services, reads: MessageReads, pace = defaultPace): void {
  const one = { scope: 'chat:write' as const, resource: namedResponse }
  decorateResponseRequests(app)

  app.post(
    '/responses',
    {
      config: { scope: 'chat:write', allowsCachedKey: true, docs: createDocs },
      bodyLimit: bodyBytes.turn,
      schema: { body: responsesBody },
      // Visibility of the named session, project and response is checked before the other fields.
      preValidation: (request) => resolveResponseContext(services, request),
    },
    (request, reply) => create(services, pace, request, request.body, reply),
  )

  app.get(
    '/responses/:id',
    { config: { ...one, docs: getDocs }, schema: { querystring: retrieveQuery } },
    async (request, reply) => {
      const run = resourceOf<Run>(request)
      const { stream, starting_after: after } = request.query
      if (stream === 'false') return bodyOf(run)
      const left = disconnectSignal(reply)
      return sendEvents(reply, (out) => responseStream(services, run, after, left, out), {
        everyMs: pace.keepAliveMs,
      })
    },
  )

  app.post('/responses/:id/cancel', { config: { ...one, docs: cancelDocs } }, async (request, reply) => {
    const run = resourceOf<Run>(request)
    await withTx(services.database, run, (tx) => requestCancel(tx, run.id))
    services.runner.cancel(run.id)
    await waitForEnd(services, run, disconnectSignal(reply))
    const principal = principalOf(request)
    const now = await withTx(services.database, principal, (tx) => findRun(tx, principal, run.id))
    if (!now) throw notFound()
    return bodyOf(now)
  })

  storedResponseRoutes(app, services, reads)
  inputTokenRoutes(app, services, reads)
}

async function create(
  services: Services,
  pace: ChatPace,
  request: FastifyRequest,
  body: ResponsesBody,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // Created first, because a client can disconnect while its turn is being admitted.
  const left = disconnectSignal(reply)
  const { background, ...admitted } = await startResponse(services, request, body, left)
  const { run } = admitted
  const delivery = new TurnReply(services, reply, admitted, left, pace)
  if (body.stream === true) {
    return delivery.stream((out) => responseStream(services, run, undefined, left, out, delivery))
  }
  if (background) {
    return delivery.background(`/v1/responses/${responseId(run)}`, bodyOf(run))
  }
  return delivery.whole(wholeBodies(run))
}

/** The current response. */
function bodyOf(run: Run): ResponseBody {
  const reply = replyOf(run)
  return reply
    ? endedResponse(run, reply)
    : openResponse(run, run.status === 'queued' ? 'queued' : 'in_progress')
}

/**
 * Waits for the end of the run, at most `cancelWaitMs`: a turn that is queued in its session ends only when
 * its turn comes.
 */
async function waitForEnd(services: Services, run: Run, left: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([left, AbortSignal.timeout(cancelWaitMs)])
  await followCommitted(services, run, run.eventCount, signal, ({ events }) =>
    events.some(({ event }) => isTerminal(event)),
  )
}

function wholeBodies(run: Run): WholeBodies {
  return {
    ended: (event) => endedResponse(run, event),
    interrupted: (message) => {
      const open = openResponse(run, 'in_progress')
      return { ...open, x_service: { ...open.x_service, error: { code: 'run_failed', message } } }
    },
  }
}

/** `GET /v1/responses/{id}/input_items` and `DELETE /v1/responses/{id}` */
export function storedResponseRoutes(app: Api, { database }: Services, reads: MessageReads): void {
  app.get(
    '/responses/:id/input_items',
    {
      config: { scope: 'chat:write', resource: namedResponse, docs: inputItemsDocs },
      schema: { querystring: pageQuery },
    },
    (request, reply) => {
      const run = resourceOf<Run>(request)
      return reads.run(run.accountId, reply, () =>
        withTx(database, run, (tx) =>
          listItems(
            request.query,
            (item) => findMessage(tx, run.sessionId, item),
            (page) => listInput(tx, run, page),
          ),
        ),
      )
    },
  )

  app.delete(
    '/responses/:id',
    { config: { scope: 'sessions:write', resource: namedResponse, docs: deleteDocs } },
    async (request): Promise<BodyOf<typeof responseDeleted>> => {
      const run = resourceOf<Run>(request)
      await withTx(database, run, (tx) => deleteRun(tx, run))
      return { id: responseId(run), object: 'response', deleted: true }
    },
  )
}
