import { z } from 'zod'
import type { Principal } from '../accounts/principal.ts'
import { creditsNumber } from '../billing/credits.ts'
import { chargeDirectly, requireCredits } from '../billing/direct-charge.ts'
import { embeddingsKind } from '../billing/usage/usage.ts'
import { withTx } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import { principalOf } from '../http/auth.ts'
import { disconnectSignal } from '../http/connection/disconnect.ts'
import { bodyBytes, boundedList, boundedText, bounds } from '../http/limits/bounds.ts'
import { createWorkLimit } from '../http/limits/work-limits.ts'
import { type BodyOf, count, type RouteDocs } from '../http/openapi/docs.ts'
import type { Api } from '../http/openapi/zod.ts'
import { type EmbeddingInput, type EmbeddingOffer, embed, tokensOf } from '../models/embedding-offer.ts'
import type { Services } from '../turns/services.ts'
import { defaultProjectId } from '../turns/sessions/projects.ts'
import { requireTextWithin } from './turn-request/field-schemas.ts'

const text = boundedText(bounds.text).min(1, 'must not be empty')
const tokens = boundedList(z.number().int().min(0), bounds.entries).min(1, 'must not be empty')

const body = z.looseObject({
  model: boundedText(bounds.name).min(1),
  input: z.union(
    [
      text,
      boundedList(text, bounds.embeddingInputs).min(1, 'must not be empty'),
      tokens,
      boundedList(tokens, bounds.embeddingInputs).min(1, 'must not be empty'),
    ],
    { error: 'must be a text, a list of texts, or token numbers' },
  ),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.number().int().min(1).max(100_000).nullish(),
  user: boundedText(bounds.user).nullish(),
})

const reply = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: count,
        embedding: z.union([z.array(z.number()), z.string()]).describe('Numbers, or 32-bit floats as base64'),
      }),
    ),
    model: z.string(),
    usage: z.object({
      prompt_tokens: count,
      total_tokens: count,
      cost: z.number().min(0).describe('Credits charged for the request'),
    }),
  })
  .meta({ id: 'Embeddings' })

const docs: RouteDocs = {
  summary: 'Turn texts into vectors',
  description: `Passes the input on to the embedding model of the service. \`GET /v1/models\` names it, with its price. The \
request is charged when the vectors are there, also if its client has disconnected; a failed one costs nothing.`,
  tag: 'Models',
  body,
  example: { model: 'text-embedding-3-small', input: 'What is bittul?' },
  response: reply,
  errors: [
    'model_not_found',
    'insufficient_credits',
    'key_cap_reached',
    'rate_limit_exceeded',
    'upstream_error',
  ],
}

/** `POST /v1/embeddings` */
export function embeddingRoutes(app: Api, services: Services): void {
  const limit = createWorkLimit({
    what: 'requests for embeddings',
    maxRunning: 4,
    maxWaiting: 32,
    retryAfterSeconds: 1,
  })
  app.post(
    '/embeddings',
    { config: { scope: 'chat:write', docs }, bodyLimit: bodyBytes.turn, schema: { body } },
    async (request, reply) => {
      const principal = principalOf(request)
      const left = disconnectSignal(reply)
      requireTextWithin(request.body, 'input')
      return limit.run(principal.accountId, left, () => answer(services, principal, request.body))
    },
  )
}

async function answer(
  services: Services,
  principal: Principal,
  { model, input: sent, encoding_format: format, dimensions }: z.infer<typeof body>,
): Promise<BodyOf<typeof reply>> {
  const { database } = services
  const offer = requireOffer(services, model)
  const input = inputOf(sent)
  const account = { accountId: principal.accountId, keyId: principal.keyId, plan: principal.plan }
  const expected = BigInt(tokensOf(input)) * offer.microsPerToken
  await withTx(database, principal, (tx) => requireCredits(tx, { ...account, micros: expected }))
  const { vectors, promptTokens } = await embed(offer, input, dimensions ?? undefined)
  const micros = BigInt(promptTokens) * offer.microsPerToken
  const unpaid = await withTx(database, principal, async (tx) => {
    const facts = {
      kind: embeddingsKind,
      model: offer.id,
      key_id: principal.keyId,
      member_id: principal.memberId ?? null,
      project_id: principal.binding.projectId ?? (await defaultProjectId(tx, principal)),
      prompt_tokens: promptTokens,
      completion_tokens: 0,
    }
    return chargeDirectly(tx, { ...account, micros, facts })
  })
  if (unpaid) throw unpaid
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: format === 'base64' ? base64Of(vector) : [...vector],
    })),
    model: offer.id,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens, cost: creditsNumber(micros) },
  }
}

function requireOffer({ embeddings }: Services, model: string): EmbeddingOffer {
  if (embeddings?.id === model) return embeddings
  const message = embeddings
    ? `There is no embedding model "${model}". Use "${embeddings.id}".`
    : 'This service has no embedding model. Its operator can set EMBEDDINGS_BASE_URL and EMBEDDINGS_MODEL, or EMBEDDINGS_MODEL=local:ID.'
  throw new ServiceError('model_not_found', message, { param: 'model' })
}

function inputOf(sent: z.infer<typeof body>['input']): EmbeddingInput {
  if (typeof sent === 'string') return [sent]
  return sent.every((one) => typeof one === 'number') ? [sent] : (sent as EmbeddingInput)
}

/** 32-bit floats in little-endian order, as OpenAI's clients read them. */
function base64Of(vector: ArrayLike<number>): string {
  const bytes = Buffer.alloc(4 * vector.length)
  for (let i = 0; i < vector.length; i += 1) bytes.writeFloatLE(vector[i] ?? 0, 4 * i)
  return bytes.toString('base64')
}
