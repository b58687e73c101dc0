import type { FastifyRequest } from 'fastify'
import { withTx } from '../../db/client.ts'
import { principalOf } from '../../http/auth.ts'
import { bodyBytes } from '../../http/limits/bounds.ts'
import type { MessageReads } from '../../http/limits/message-reads.ts'
import type { BodyOf } from '../../http/openapi/docs.ts'
import type { Api } from '../../http/openapi/zod.ts'
import { firstPromptTokens, requireModel } from '../../turns/admit/requested-model.ts'
import { readConversation } from '../../turns/run/transcript.ts'
import type { Services } from '../../turns/services.ts'
import { readAttachments } from '../turn-request/attachments.ts'
import { turnContextOf } from '../turn-request/context.ts'
import { requireTextWithin } from '../turn-request/field-schemas.ts'
import { toModelMessages } from '../turn-request/messages.ts'
import { resolveResponseContext } from './context.ts'
import { readContinued } from './continued.ts'
import { type inputTokens, inputTokensDocs } from './docs.ts'
import { readItems } from './input/items.ts'
import { toChatBody, toResponseRequest } from './input/request.ts'
import { type CountedBody, countedBody } from './input/schema.ts'

/** `POST /v1/responses/input_tokens`: what a request would send to the model, without a turn. */
export function inputTokenRoutes(app: Api, services: Services, reads: MessageReads): void {
  app.post(
    '/responses/input_tokens',
    {
      config: { scope: 'chat:write', docs: inputTokensDocs },
      bodyLimit: bodyBytes.turn,
      schema: { body: countedBody },
      preValidation: (request) => resolveResponseContext(services, request),
    },
    async (request, reply): Promise<BodyOf<typeof inputTokens>> => ({
      object: 'response.input_tokens',
      input_tokens: await reads.run(principalOf(request).accountId, reply, () =>
        countTokens(services, request, request.body),
      ),
    }),
  )
}

async function countTokens(services: Services, request: FastifyRequest, sent: CountedBody): Promise<number> {
  const principal = principalOf(request)
  const { options } = turnContextOf(request)
  const previous = request.previousRun ?? undefined
  const body = {
    ...sent,
    model: sent.model ?? services.catalogue.models[0]?.id ?? '',
    input: sent.input ?? [],
  }
  const model = requireModel(services, body.model)
  requireTextWithin(body, 'input')
  const items = readItems(body.input)
  const named = { previous, sessionId: options.sessionId, projectId: options.projectId }
  const { messages, after } =
    items.length === 0
      ? { messages: [], after: previous }
      : await readContinued(services, principal, items, named)
  const chat = toChatBody(body, messages)
  const { idOf } = readAttachments(chat.messages, true, 'input')
  const asked = toResponseRequest(body, chat, options)
  // All turns of a named session are before the next one.
  const last = after ?? (options.sessionId && { id: '', sessionId: options.sessionId, turn: lastTurn })
  const before = last ? await withTx(services.database, principal, (tx) => readConversation(tx, last)) : []
  const prompt = [...before, ...toModelMessages(chat.messages, true, idOf)]
  return firstPromptTokens(services, principal, model, { messages: prompt, request: asked })
}

/** Above the number of every turn. */
const lastTurn = 2_147_483_647
