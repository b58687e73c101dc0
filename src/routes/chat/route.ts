import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireScope } from '../../accounts/principal.ts'
import { estimateTokens, type ModelMessage } from '../../agent/provider.ts'
import { nextCallMicros, type Price } from '../../billing/pricing.ts'
import { withTx } from '../../db/client.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { principalOf, resourceOf } from '../../http/auth.ts'
import { disconnectSignal } from '../../http/disconnect.ts'
import { retryHeaders } from '../../http/retry-headers.ts'
import type { ZodTypes } from '../../http/zod.ts'
import { admitTurn } from '../../turns/admit-turn.ts'
import { clientLeft } from '../../turns/client-left.ts'
import { findProject } from '../../turns/projects.ts'
import { findSession } from '../../turns/sessions.ts'
import type { Run, Started } from '../../turns/start-turn.ts'
import type { Services } from '../services.ts'
import { type ChatPace, Delivery } from './delivery.ts'
import { chatDocs } from './docs.ts'
import { toModelMessages, toRunRequest } from './messages.ts'
import { readOptions, type ServiceOptions } from './options.ts'
import { type ChatBody, chatBody, refuseUnsupported } from './schema.ts'

const defaultPace: ChatPace = { keepAliveMs: 10_000, paddingMs: 15_000 }

/** Room for images and files inside messages. */
const bodyLimit = 32 * 1024 * 1024

/** `POST /v1/chat/completions`: admits the turn, then only reads what the run's event log says. */
export function chatRoutes(app: FastifyInstance, services: Services, pace = defaultPace): void {
  app.withTypeProvider<ZodTypes>().post(
    '/chat/completions',
    {
      config: { scope: 'chat:write', docs: chatDocs },
      bodyLimit,
      schema: { body: chatBody },
      // What the request names must be visible before its other fields are looked at.
      preValidation: (request) => resolveContext(services, request),
    },
    async (request, reply) => {
      const options = resourceOf<ServiceOptions>(request)
      const { body } = request
      // From the start: a client can leave while its turn is being admitted.
      const left = disconnectSignal(reply)
      refuseUnsupported(body)
      const streamed = body.stream === true
      if (options.background && streamed) {
        throw new ServiceError(
          'invalid_value',
          'A background turn cannot be streamed: leave out one of the two.',
          {
            param: 'stream',
          },
        )
      }
      const { run, repeated } = await admit(services, request, body, options)
      contextHeaders(reply, run)
      const delivery = new Delivery(services, reply, { run, repeated })
      if (options.background) return delivery.background()
      const whenLeft = () => void clientLeft(services, run)
      if (left.aborted) whenLeft()
      else left.addEventListener('abort', whenLeft)
      if (!streamed) return delivery.whole(left, pace)
      const includeUsage = body.stream_options?.include_usage === true
      return delivery.stream({ includeUsage, progress: options.progress }, left, pace)
    },
  )
}

async function resolveContext(services: Services, request: FastifyRequest): Promise<void> {
  const principal = principalOf(request)
  const options = readOptions(request.body, request.headers)
  request.resource = options
  const { sessionId, projectId } = options
  if (sessionId === undefined && projectId === undefined) return
  const { session, project } = await withTx(services.database, principal, async (tx) => ({
    session: sessionId === undefined ? null : await findSession(tx, principal, sessionId),
    project: projectId === undefined ? null : await findProject(tx, principal, projectId),
  }))
  if (session === undefined || project === undefined) throw notFound()
  if (session) requireScope(principal, 'sessions:write')
  if (session && project && session.projectId !== project.id) {
    throw new ServiceError(
      'invalid_value',
      'The session belongs to another project. Name one of the two only.',
      {
        param: 'project_id',
      },
    )
  }
}

function admit(
  services: Services,
  request: FastifyRequest,
  body: ChatBody,
  options: ServiceOptions,
): Promise<Started> {
  const model = services.catalogue.find(body.model)
  if (!model) {
    throw new ServiceError(
      'model_not_found',
      `There is no model "${body.model}". Models: ${services.catalogue.models.map((m) => m.id).join(', ')}.`,
      { param: 'model' },
    )
  }
  const principal = principalOf(request)
  const messages = toModelMessages(body.messages, model.readsImages)
  const input = {
    model: model.id,
    firstCallMicros: firstCallMicros(model.price, messages, body.max_completion_tokens ?? body.max_tokens),
    messages,
    sessionId: options.sessionId,
    projectId: options.projectId,
    request: toRunRequest(body, options),
    identity: {
      ...retryHeaders(request.headers),
      hash: createHash('sha256')
        .update(JSON.stringify(['chat', options, body]))
        .digest(),
    },
    onDisconnect: options.onDisconnect,
  }
  return admitTurn(services, principal, input)
}

/** The prompt is the client's messages and some 1,500 tokens of our own instructions and tools. */
function firstCallMicros(
  price: Price,
  messages: readonly ModelMessage[],
  maxTokens: number | null | undefined,
): bigint {
  return nextCallMicros(price, estimateTokens(JSON.stringify(messages)) + 1_500, maxTokens ?? undefined)
}

/** Sent before the body: the one channel that every client can read. */
function contextHeaders(reply: FastifyReply, run: Run): void {
  reply
    .header('x-service-project-id', run.projectId)
    .header('x-service-session-id', run.sessionId)
    .header('x-service-run-id', run.id)
    .header('x-service-message-id', run.messageId)
}
