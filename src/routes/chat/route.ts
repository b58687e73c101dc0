import type { FastifyRequest } from 'fastify'
import { invalidValue } from '../../errors.ts'
import { principalOf } from '../../http/auth.ts'
import { disconnectSignal } from '../../http/connection/disconnect.ts'
import type { StreamOut } from '../../http/connection/stream.ts'
import { bodyBytes } from '../../http/limits/bounds.ts'
import { unixSeconds } from '../../http/lists.ts'
import type { Api } from '../../http/openapi/zod.ts'
import { originOf } from '../../http/origin.ts'
import { retryHeaders } from '../../http/retry-headers.ts'
import { type Admitted, admitTurn } from '../../turns/admit/admit-turn.ts'
import { requireModel } from '../../turns/admit/requested-model.ts'
import { admitResent } from '../../turns/admit/resent.ts'
import { followRun } from '../../turns/read/follow.ts'
import type { Run } from '../../turns/run/run.ts'
import { isTerminal, type RunEvent } from '../../turns/run/run-events.ts'
import { newInput } from '../../turns/run/transcript.ts'
import type { Services } from '../../turns/services.ts'
import { defaultPace, type ReplyOutcome, TurnReply, type WholeBodies } from '../turn-reply/delivery.ts'
import { readAttachments } from '../turn-request/attachments.ts'
import { type ChatBody, type ChatMessage, chatBody, refuseUnknownChoice } from '../turn-request/chat-body.ts'
import { decorateTurnRequests, resolveContext, turnContextOf } from '../turn-request/context.ts'
import { requestHash, requireTextWithin } from '../turn-request/field-schemas.ts'
import { maxTokensOf, modelNamed } from '../turn-request/key-defaults.ts'
import { toModelMessages, toRunRequest } from '../turn-request/messages.ts'
import { refuseUnsupported } from '../turn-request/parameters.ts'
import { readTranscript } from '../turn-request/transcript.ts'
import { findAskingTurn } from './answered-calls.ts'
import { type ChunkEncoder, createChunkEncoder } from './chunks.ts'
import { backgroundBody, completionBody, interruptedBody } from './completion.ts'
import { chatDocs } from './docs.ts'
import { chatParameters } from './parameters.ts'
import { type ReasoningField, reasoningField, reasoningMember } from './reasoning.ts'

/** `POST /v1/chat/completions`: admits the turn, then only reads the run's event log. */
export function chatRoutes(app: Api, services: Services, pace = defaultPace): void {
  decorateTurnRequests(app)
  app.post(
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
        throw invalidValue(
          'A background turn cannot be streamed. Leave out `stream` or the background option.',
          'stream',
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
      const includeUsage = includesUsage(body)
      const { progress } = options
      const encoder = createChunkEncoder(run, { includeUsage, progress, reasoning, created, asFunctions })
      return delivery.stream(
        (out) => chatStream(services, run, encoder, left, out, delivery),
        encoder.keepAlive,
      )
    },
  )
}

/** Whether a stream ends with its usage: as OpenAI's clients ask for it, or as OpenRouter's do. */
function includesUsage({ stream_options: options, usage }: ChatBody): boolean {
  if (options?.include_usage === true) return true
  return typeof usage === 'object' && usage !== null && 'include' in usage && usage.include === true
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

/** Writes the chunks of a chat reply, from the first one to the end of its run. */
export async function chatStream(
  services: Services,
  run: Run,
  encoder: ChunkEncoder,
  left: AbortSignal,
  out: StreamOut,
  notes: ReplyOutcome,
): Promise<void> {
  // May wait, so that the first text of a fast model is written with it.
  await out.add(encoder.start(run.status), true)
  let ended = false
  await followRun(services, run, left, (batch) => {
    if (batch.some(isTerminal)) {
      ended = true
      notes.complete()
    }
    return out.add(encoder.events(batch), batch.every(isHint))
  })
  if (ended || left.aborted) return
  await notes.cutShort()
  await out.add(encoder.interrupted())
}

/** Whether an event reports progress and carries no part of the answer. */
function isHint(event: RunEvent): boolean {
  return event.type !== 'text.delta' && event.type !== 'file' && !isTerminal(event)
}

/**
 * The older form of tools: `functions`, `function_call`, and messages of role `function`. OpenAI replaced it in
 * November 2023; some clients still send it, and read replies in the same form.
 */

/** Whether the client sends functions in the older form. `tools` win if both are there. */
export function usesFunctions({ functions, tools }: ChatBody): boolean {
  return Boolean(functions?.length) && !tools?.length
}

/** The request with its functions as tools. Calls get ids, because the older form has none. */
export function withTools(body: ChatBody): ChatBody {
  if (!usesFunctions(body)) return body
  const { functions, function_call: choice, ...rest } = body
  return {
    ...rest,
    messages: withCallIds(body.messages),
    tools: functions?.map((one) => ({ type: 'function' as const, function: one })),
    tool_choice:
      choice && typeof choice === 'object'
        ? { type: 'function', function: { name: choice.name } }
        : (choice ?? undefined),
  }
}

/** Calls of the assistant become tool calls; the next message with the result of that function answers it. */
function withCallIds(messages: readonly ChatMessage[]): ChatMessage[] {
  let open: { readonly id: string; readonly name: string } | undefined
  return messages.map((message, index) => {
    const { function_call: called, ...rest } = message
    if (message.role === 'assistant' && called && messages[index + 1]?.role === 'function') {
      open = { id: `call_of_message_${index}`, name: called.name }
      return { ...rest, tool_calls: [{ id: open.id, type: 'function', function: called }] }
    }
    const asked = open
    open = undefined
    if (message.role !== 'function' || !asked || (message.name ?? asked.name) !== asked.name) return message
    return { ...rest, role: 'tool', tool_call_id: asked.id }
  })
}
