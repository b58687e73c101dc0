import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { principalOf } from '../../http/auth.ts'
import { disconnectSignal } from '../../http/connection/disconnect.ts'
import { bodyBytes } from '../../http/limits/bounds.ts'
import { unixSeconds } from '../../http/lists.ts'
import type { ZodTypes } from '../../http/openapi/zod.ts'
import { originOf } from '../../http/origin.ts'
import { retryHeaders } from '../../http/retry-headers.ts'
import { type Admitted, admitTurn } from '../../turns/admit/admit-turn.ts'
import { requireModel } from '../../turns/admit/requested-model.ts'
import { admitResent } from '../../turns/admit/resent.ts'
import type { Run } from '../../turns/run/run.ts'
import { newInput } from '../../turns/run/transcript.ts'
import type { Services } from '../../turns/services.ts'
import { defaultPace, TurnReply, type WholeBodies } from '../turn-reply/delivery.ts'
import { readAttachments } from '../turn-request/attachments.ts'
import { type ChatBody, chatBody, refuseUnknownChoice } from '../turn-request/chat-body.ts'
import { decorateTurnRequests, resolveContext, turnContextOf } from '../turn-request/context.ts'
import { requestHash, requireTextWithin } from '../turn-request/field-schemas.ts'
import { maxTokensOf, modelNamed } from '../turn-request/key-defaults.ts'
import { toModelMessages, toRunRequest } from '../turn-request/messages.ts'
import { refuseUnsupported } from '../turn-request/parameters.ts'
import { readTranscript } from '../turn-request/transcript.ts'
import { findAskingTurn } from './answered-calls.ts'
import { createChunkEncoder } from './chunks.ts'
import { backgroundBody, completionBody, interruptedBody } from './completion.ts'
import { chatDocs } from './docs.ts'
import { usesFunctions, withTools } from './functions.ts'
import { chatParameters } from './parameters.ts'
import { type ReasoningField, reasoningField, reasoningMember } from './reasoning.ts'
import { chatStream } from './stream.ts'

/** `POST /v1/chat/completions`: admits the turn, then only reads the run's event log. */
export function chatRoutes(app: FastifyInstance, services: Services, pace = defaultPace): void {
  decorateTurnRequests(app)
  app.withTypeProvider<ZodTypes>().post(
    '/chat/completions',
    {
      config: { scope: 'chat:write', allowsCachedKey: true, docs: chatDocs },
      bodyLimit: bodyBytes.turn,
      schema: { body: chatBody },
      // Visibility of the named session and project is checked before the other fields.
      preValidation: (request) => resolveContext(services, request),
    },
    async (request, reply) => {
      const { options } = turnContextOf(request)
      const asFunctions = usesFunctions(request.body)
      const body = withTools(request.body)
      // Created first, because a client can disconnect while its turn is being admitted.
      const left = disconnectSignal(reply)
      refuseUnsupported(chatParameters, body)
      refuseUnknownChoice(body)
      const streamed = body.stream === true
      if (options.background && streamed) {
        throw new ServiceError(
          'invalid_value',
          'A background turn cannot be streamed. Leave out `stream` or the background option.',
          {
            param: 'stream',
          },
        )
      }
      const admitted = await admit(services, request, body, left)
      const { run, repeated } = admitted
      const delivery = new TurnReply(services, reply, admitted, left, pace)
      const created = unixSeconds(run.createdAt)
      if (options.background) {
        return delivery.background(`/v1/agent/runs/${run.id}`, backgroundBody(run, created, repeated))
      }
      const reasoning = reasoningField(body, options)
      if (!streamed) return delivery.whole(wholeBodies(run, created, asFunctions, reasoning))
      const includeUsage = body.stream_options?.include_usage === true
      const { progress } = options
      const encoder = createChunkEncoder(run, { includeUsage, progress, reasoning, created, asFunctions })
      return delivery.stream(
        (out) => chatStream(services, run, encoder, left, out, delivery),
        encoder.keepAlive,
      )
    },
  )
}

async function admit(
  services: Services,
  request: FastifyRequest,
  body: ChatBody,
  left: AbortSignal,
): Promise<Admitted> {
  const principal = principalOf(request)
  const { options, ownOptions, params } = turnContextOf(request)
  const model = requireModel(services, modelNamed(body.model, principal))
  const maxTokens = maxTokensOf(body.max_completion_tokens ?? body.max_tokens, principal)
  requireTextWithin(body, 'messages')
  const { attachments, idOf } = readAttachments(body.messages, model.readsImages, 'messages')
  const messages = toModelMessages(body.messages, model.readsImages, idOf)
  const asking = await findAskingTurn(services, principal, body.messages, options)
  const input = {
    model: model.id,
    maxCostMicros: options.maxCostMicros,
    maxCostParam: params.max_cost,
    messages,
    attachments,
    sessionId: options.sessionId,
    projectId: options.projectId,
    request: {
      ...toRunRequest({ ...body, max_completion_tokens: maxTokens }, options),
      origin: originOf(services, request),
    },
    identity: {
      ...retryHeaders(request.headers),
      hash: await requestHash('chat', ownOptions, body),
    },
    onDisconnect: options.onDisconnect,
    left,
    span: request.span ?? undefined,
  }
  if (options.sessionId !== undefined) return admitTurn(services, principal, input)
  const transcript = await readTranscript(principal, body.messages, { ...body, model: model.id }, options)
  const sent = asking ? newInput(messages, true) : messages
  return admitResent(services, principal, { ...input, messages: sent }, transcript, asking)
}

function wholeBodies(
  run: Run,
  created: number,
  asFunctions: boolean,
  field: ReasoningField | undefined,
): WholeBodies {
  return {
    ended: (event) => {
      const reasoning = field && reasoningMember(event.end, field)
      return completionBody(run, created, event, asFunctions, reasoning)
    },
    interrupted: (message) => interruptedBody(run, created, message),
  }
}
