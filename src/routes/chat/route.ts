import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireScope } from '../../accounts/principal.ts'
import { estimateTokens, type ModelMessage } from '../../agent/provider.ts'
import { nextCallMicros, type Price } from '../../billing/pricing.ts'
import { withTx } from '../../db/client.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { principalOf, resourceOf } from '../../http/auth.ts'
import { disconnectSignal } from '../../http/disconnect.ts'
import { unixSeconds } from '../../http/lists.ts'
import { retryHeaders } from '../../http/retry-headers.ts'
import { sendStream, withFiller } from '../../http/stream.ts'
import type { ZodTypes } from '../../http/zod.ts'
import type { CatalogueModel } from '../../turns/catalogue.ts'
import { clientLeft, clientServed } from '../../turns/client-left.ts'
import { followRun } from '../../turns/follow.ts'
import { findProject } from '../../turns/projects.ts'
import { isTerminal, type TerminalEvent } from '../../turns/run-events.ts'
import { findSession } from '../../turns/sessions.ts'
import { type Run, type Started, startTurn } from '../../turns/start-turn.ts'
import type { Services } from '../services.ts'
import { createChunkEncoder } from './chunks.ts'
import { backgroundBody, completionBody, failureReply, interruptedBody } from './completion.ts'
import { chatDocs } from './docs.ts'
import { toModelMessages, toRunRequest } from './messages.ts'
import { readOptions, type ServiceOptions } from './options.ts'
import { type ChatBody, chatBody, refuseUnsupported } from './schema.ts'

/** Silence after which a stream says that it lives, and after which a whole reply begins with blanks. */
export type ChatPace = { readonly keepAliveMs: number; readonly paddingMs: number }

export const defaultPace: ChatPace = { keepAliveMs: 10_000, paddingMs: 15_000 }

/** Room for images and files inside messages. */
export const bodyLimit = 32 * 1024 * 1024

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
      if (repeated) replayed(services, reply, run)
      else if (run.status === 'in_progress') services.runner.start(run)
      contextHeaders(reply, run)
      if (options.background) {
        return reply
          .header('location', `/v1/agent/runs/${run.id}`)
          .send(backgroundBody(run, unixSeconds(run.createdAt), repeated))
      }
      const whenLeft = () => void clientLeft(services, run)
      if (left.aborted) whenLeft()
      else left.addEventListener('abort', whenLeft)
      return streamed
        ? sendStream(
            reply,
            'text/event-stream; charset=utf-8',
            chunks(services, run, body, options, left, pace.keepAliveMs),
          )
        : sendWhole(services, reply, run, left, pace.paddingMs, bodiesOf(run))
    },
  )
}

/** Whether the session and project that the options name are visible; the options are kept as the request's resource. */
export async function resolveContext(services: Services, request: FastifyRequest): Promise<void> {
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
  const model = requireModel(services, body.model)
  const principal = principalOf(request)
  const messages = toModelMessages(body.messages, model.readsImages)
  const input = {
    model: model.id,
    firstCallMicros: firstCallMicros(model.price, messages, body.max_completion_tokens ?? body.max_tokens),
    messages,
    sessionId: options.sessionId,
    projectId: options.projectId,
    request: toRunRequest(body, options.sources),
    identity: {
      ...retryHeaders(request.headers),
      hash: createHash('sha256')
        .update(JSON.stringify(['chat', options, body]))
        .digest(),
    },
    onDisconnect: options.onDisconnect,
  }
  return withTx(services.database, principal, (tx) =>
    startTurn(tx, principal, input, { ...services, lease: services.runner.lease }),
  )
}

/** @throws ServiceError `model_not_found`, with the models that there are. */
export function requireModel({ catalogue }: Services, id: string): CatalogueModel {
  const model = catalogue.find(id)
  if (model) return model
  throw new ServiceError(
    'model_not_found',
    `There is no model "${id}". Models: ${catalogue.models.map((m) => m.id).join(', ')}.`,
    { param: 'model' },
  )
}

/** The prompt is the client's messages and some 1,500 tokens of our own instructions and tools. */
export function firstCallMicros(
  price: Price,
  messages: readonly ModelMessage[],
  maxTokens: number | null | undefined,
): bigint {
  return nextCallMicros(price, estimateTokens(JSON.stringify(messages)) + 1_500, maxTokens ?? undefined)
}

/** The request has started this run before: it only reads what the run says, from its beginning. */
export function replayed(services: Services, reply: FastifyReply, run: Run): void {
  reply.header('idempotency-replayed', 'true')
  reply.raw.once('finish', () => void clientServed(services, run))
}

/** Sent before the body: the one channel that every client can read. */
export function contextHeaders(reply: FastifyReply, run: Run): void {
  reply
    .header('x-service-project-id', run.projectId)
    .header('x-service-session-id', run.sessionId)
    .header('x-service-run-id', run.id)
    .header('x-service-message-id', run.messageId)
}

async function* chunks(
  services: Services,
  run: Run,
  body: ChatBody,
  options: ServiceOptions,
  left: AbortSignal,
  keepAliveMs: number,
): AsyncGenerator<string> {
  const encoder = createChunkEncoder(run, {
    created: unixSeconds(run.createdAt),
    includeUsage: body.stream_options?.include_usage === true,
    progress: options.progress,
  })
  yield encoder.start(run.status)
  yield* withFiller(frames(), keepAliveMs, encoder.keepAlive)

  async function* frames(): AsyncGenerator<string> {
    let ended = false
    for await (const batch of followRun(services, run, left)) {
      ended ||= batch.some(isTerminal)
      const text = encoder.events(batch)
      if (text !== '') yield text
    }
    if (!ended && !left.aborted) yield encoder.interrupted()
  }
}

/** What a whole reply says when its run has ended, and when this process has lost it after the status was sent. */
export type WholeBodies = {
  readonly ended: (event: TerminalEvent) => object
  readonly interrupted: (message: string) => object
}

function bodiesOf(run: Run): WholeBodies {
  const created = unixSeconds(run.createdAt)
  return {
    ended: (event) => completionBody(run, created, event),
    interrupted: (message) => interruptedBody(run, created, message),
  }
}

/** Waits for the end of the run. Up to `paddingMs` the status is still free; after that blanks keep the wire alive. */
export async function sendWhole(
  services: Services,
  reply: FastifyReply,
  run: Run,
  left: AbortSignal,
  paddingMs: number,
  bodies: WholeBodies,
): Promise<FastifyReply> {
  const ending = endOf(services, run, left)
  const early = await Promise.race([ending, timer(paddingMs)])
  if (early === undefined) throw interrupted()
  if (early !== 'later') {
    const failure = failureReply(early)
    if (failure) throw failure
    const { files } = early.end
    if (files.length > 0) reply.header('x-service-files', files.map((file) => file.id).join(','))
    return reply.send(bodies.ended(early))
  }
  async function* whole(): AsyncGenerator<string> {
    const end = await ending
    yield JSON.stringify(end ? bodies.ended(end) : bodies.interrupted(interrupted().message))
  }
  async function* padded(): AsyncGenerator<string> {
    yield '\n'
    yield* withFiller(whole(), paddingMs, () => '\n')
  }
  return sendStream(reply, 'application/json; charset=utf-8', padded())
}

/** Undefined when this process lost the run; the client's retry finds it again. */
async function endOf(services: Services, run: Run, left: AbortSignal): Promise<TerminalEvent | undefined> {
  for await (const batch of followRun(services, run, left)) {
    const end = batch.find(isTerminal)
    if (end) return end
  }
  return undefined
}

function interrupted(): ServiceError {
  return new ServiceError(
    'overloaded',
    'The service is restarting. The run goes on; send the request again.',
    {
      retryAfterSeconds: 2,
    },
  )
}

function timer(ms: number): Promise<'later'> {
  return new Promise((resolve) => setTimeout(() => resolve('later'), ms).unref())
}
