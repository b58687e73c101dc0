import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import { withTx } from '../../db/client.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { principalOf, resourceOf } from '../../http/auth.ts'
import { retryHeaders } from '../../http/retry-headers.ts'
import { admitTurn, type ClientTurn } from '../../turns/admit-turn.ts'
import { Overtaken } from '../../turns/continuation.ts'
import { findRun } from '../../turns/runs.ts'
import type { Run, Started } from '../../turns/start-turn.ts'
import { readConversation } from '../../turns/transcript.ts'
import { toModelMessages } from '../chat/messages.ts'
import { firstCallMicros, requireModel } from '../chat/model.ts'
import type { Services } from '../services.ts'
import type { ResponseContext } from './context.ts'
import { readContinued } from './continued.ts'
import { type Item, readItems } from './items.ts'
import { toChatBody, toResponseRequest } from './request.ts'
import { type ResponsesBody, refuseUnsupported } from './schema.ts'

/** Starts the turn that a request asks for, or finds the one that it has started before. */
export async function admitResponse(
  services: Services,
  request: FastifyRequest,
  body: ResponsesBody,
  left: AbortSignal,
): Promise<Started & { readonly background: boolean }> {
  const principal = principalOf(request)
  const { options, previous } = resourceOf<ResponseContext>(request)
  refuseUnsupported(body)
  const model = requireModel(services, body.model)
  const sent = readItems(body.input)
  const { sessionId, projectId } = options
  const named = { previous, sessionId, projectId }
  const { messages, after } = await readContinued(services, principal, sent, named)
  const chat = toChatBody(body, messages)
  if (!model.readsImages) refuseImages(sent)
  const told = toModelMessages(chat.messages, true)
  const background = body.background === true || options.background
  const input: ClientTurn = {
    model: model.id,
    firstCallMicros: firstCallMicros(model.price, told, body.max_output_tokens),
    messages: told,
    sessionId,
    projectId,
    request: toResponseRequest({ ...body, background }, chat, options),
    identity: {
      ...retryHeaders(request.headers),
      hash: createHash('sha256')
        .update(JSON.stringify(['responses', options, body]))
        .digest(),
    },
    // The client of a background response is expected to leave.
    onDisconnect: background ? 'continue' : options.onDisconnect,
    left,
    span: request.span ?? undefined,
  }
  const started = after
    ? await startAfter(services, principal, input, after)
    : await admitTurn(services, principal, input)
  return { ...started, background }
}

function refuseImages(items: readonly Item[]): void {
  const hasImage = items.some(
    (item) =>
      item.type === 'message' &&
      typeof item.content !== 'string' &&
      item.content.some((part) => part.type === 'input_image'),
  )
  if (!hasImage) return
  throw new ServiceError('invalid_value', 'The model cannot read images. Describe the image in words.', {
    param: 'input',
  })
}

/**
 * Goes on from a turn: in its session if it is the last one there, else in a new session that begins with a copy of the
 * conversation up to it. So two requests that go on from one response at once do not hear of each other.
 */
async function startAfter(
  services: Services,
  principal: Principal,
  input: ClientTurn,
  after: Run,
): Promise<Started> {
  try {
    return await admitTurn(services, principal, { ...input, sessionId: after.sessionId, after })
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error
    const messages = [...(await conversationOf(services, principal, after)), ...input.messages]
    return admitTurn(services, principal, {
      ...input,
      messages,
      projectId: after.projectId,
      sessionId: undefined,
    })
  }
}

function conversationOf(
  services: Services,
  principal: Principal,
  { id }: Run,
): Promise<readonly ModelMessage[]> {
  return withTx(services.database, principal, async (tx) => {
    const run = await findRun(tx, principal, id)
    if (!run) throw notFound()
    if (run.finishedAt !== null) return readConversation(tx, run)
    throw new ServiceError(
      'session_busy',
      'The previous response is still being made, and another one waits for it already. Let it end first.',
      { shouldRetry: false },
    )
  })
}
