import type { FastifyRequest } from 'fastify'
import { invalidValue, ServiceError } from '../../errors.ts'
import { principalOf } from '../../http/auth.ts'
import { originOf } from '../../http/origin.ts'
import { retryHeaders } from '../../http/retry-headers.ts'
import type { Admitted } from '../../turns/admit/admit-turn.ts'
import type { ClientTurn } from '../../turns/admit/client-turn.ts'
import { requireModel } from '../../turns/admit/requested-model.ts'
import { admitResent } from '../../turns/admit/resent.ts'
import type { Services } from '../../turns/services.ts'
import { readAttachments } from '../turn-request/attachments.ts'
import { refuseUnknownChoice } from '../turn-request/chat-body.ts'
import { turnContextOf } from '../turn-request/context.ts'
import { requestHash, requireTextWithin } from '../turn-request/field-schemas.ts'
import { maxTokensOf, modelNamed } from '../turn-request/key-defaults.ts'
import { toModelMessages } from '../turn-request/messages.ts'
import { refuseUnsupported } from '../turn-request/parameters.ts'
import { readTranscript } from '../turn-request/transcript.ts'
import { readContinued } from './continued.ts'
import { withFetchedFiles } from './input/fetched-files.ts'
import { type Item, readItems } from './input/items.ts'
import { responsesParameters } from './input/parameters.ts'
import { toChatBody, toResponseRequest } from './input/request.ts'
import type { ResponsesBody } from './input/schema.ts'

/** Starts the turn of a request, or finds the turn that an earlier try of the same request started. */
export async function startResponse(
  services: Services,
  request: FastifyRequest,
  body: ResponsesBody,
  left: AbortSignal,
): Promise<Admitted & { readonly background: boolean }> {
  const principal = principalOf(request)
  const { options, ownOptions, params } = turnContextOf(request)
  const previous = request.previousRun ?? undefined
  refuseUnsupported(responsesParameters, body)
  refuseUnknownChoice(toChatBody(body, []))
  const model = requireModel(services, modelNamed(body.model, principal))
  const maxTokens = maxTokensOf(body.max_output_tokens, principal)
  requireTextWithin(body, 'input')
  const sent = readItems(await withFetchedFiles(body.input, services.fileUrlHosts ?? [], left))
  const { sessionId, projectId } = options
  const named = { previous, sessionId, projectId }
  const { messages, whole, after } = await readContinued(services, principal, sent, named)
  const chat = { ...toChatBody(body, messages), max_completion_tokens: maxTokens }
  if (!model.readsImages) refuseImages(sent)
  const { attachments, idOf } = readAttachments(chat.messages, model.readsImages, 'input')
  const told = toModelMessages(chat.messages, true, idOf)
  const background = body.background === true || options.background
  if (background && body.store === false) {
    throw invalidValue(
      'A response in the background is read later, so it must be stored. Leave out `store` or the background option.',
      'store',
    )
  }
  const input: ClientTurn = {
    model: model.id,
    maxCostMicros: options.maxCostMicros,
    maxCostParam: params.max_cost,
    messages: told,
    attachments,
    sessionId,
    projectId,
    request: {
      ...toResponseRequest({ ...body, background }, chat, options),
      origin: originOf(services, request),
    },
    identity: {
      ...retryHeaders(request.headers),
      hash: await requestHash('responses', ownOptions, body),
    },
    // The client of a background response may disconnect.
    onDisconnect: background ? 'continue' : options.onDisconnect,
    left,
    span: request.span ?? undefined,
  }
  const transcript = whole && (await readTranscript(principal, whole, { ...body, model: model.id }, options))
  const started = await admitResent(services, principal, input, transcript, after)
  return { ...started, background }
}

/** @throws ServiceError that names the first image in a message or in the output of a function. */
function refuseImages(items: readonly Item[]): void {
  for (const [index, item] of items.entries()) {
    const field = item.type === 'message' ? 'content' : 'output'
    const parts = item.type === 'message' ? item.content : 'output' in item ? item.output : ''
    const at = typeof parts === 'string' ? -1 : parts.findIndex(({ type }) => type === 'input_image')
    if (at === -1) continue
    throw new ServiceError('invalid_value', 'The model cannot read images. Describe the image in words.', {
      param: `input[${index}].${field}[${at}]`,
    })
  }
}
