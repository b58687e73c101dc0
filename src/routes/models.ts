import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { creditsNumber } from '../billing/credits.ts'
import { ServiceError } from '../errors.ts'
import { type BodyOf, count, instant, type RouteDocs } from '../http/openapi/docs.ts'
import type { EmbeddingOffer } from '../models/embedding-offer.ts'
import { type CatalogueModel, catalogueSince } from '../models/model-catalogue.ts'
import type { Services } from '../turns/services.ts'

const credits = z.number().min(0)

const modality = z.enum(['text', 'image', 'file', 'embeddings'])

/** `architecture` and `supported_parameters` have the form of OpenRouter, by which clients choose what they send. */
const modelSchema = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: instant,
    owned_by: z.literal('service'),
    name: z.string().describe('The name for people'),
    type: z.enum(['chat', 'embedding']).describe('What it does: answer, or turn texts into vectors'),
    context_length: count.optional().describe('Tokens that a chat model reads in one call'),
    architecture: z.object({
      modality: z.string().describe('Both lists in one text, such as `text+image->text`'),
      input_modalities: z.array(modality),
      output_modalities: z.array(modality),
      tokenizer: z.literal('Other'),
      instruct_type: z.null(),
    }),
    supported_parameters: z.array(z.string()).describe('Parameters of a chat request that have an effect'),
    citations: z.boolean().describe('Whether its turns search the library, and cite and check what they say'),
    pricing: z.object({
      input: credits.describe('Credits per million tokens of prompts'),
      output: credits.describe('Credits per million tokens of replies'),
      tool_call: credits.describe('Credits per call of a tool without a price of its own'),
    }),
  })
  .meta({ id: 'Model' })

const modelList = z
  .object({ object: z.literal('list'), data: z.array(modelSchema) })
  .meta({ id: 'ModelList' })

const listDocs: RouteDocs = { summary: 'List models', tag: 'Models', response: modelList }
const itemDocs: RouteDocs = {
  summary: 'Get a model',
  tag: 'Models',
  response: modelSchema,
  params: { model: 'Id of the model' },
  errors: ['model_not_found'],
}

/** `GET /v1/models`, `GET /v1/models/{model}` */
export function modelRoutes(app: FastifyInstance, services: Services): void {
  app.get(
    '/models',
    { config: { scope: 'models:read', docs: listDocs } },
    async (): Promise<BodyOf<typeof modelList>> => ({
      object: 'list',
      data: bodiesOf(services),
    }),
  )

  app.get<{ Params: { model: string } }>(
    '/models/:model',
    { config: { scope: 'models:read', docs: itemDocs } },
    async (request) => {
      const all = bodiesOf(services)
      const model = all.find(({ id }) => id === request.params.model)
      if (!model) {
        const known = all.map(({ id }) => id).join(', ')
        throw new ServiceError('model_not_found', `There is no such model. Use one of: ${known}.`, {
          param: 'model',
        })
      }
      return model
    },
  )
}

function bodiesOf({ catalogue, embeddings }: Services): readonly BodyOf<typeof modelSchema>[] {
  return [...catalogue.models.map(modelBody), ...(embeddings ? [embeddingBody(embeddings)] : [])]
}

function embeddingBody({ id, microsPerToken }: EmbeddingOffer): BodyOf<typeof modelSchema> {
  return {
    id,
    object: 'model',
    created: catalogueSince,
    owned_by: 'service',
    name: id,
    type: 'embedding',
    architecture: architectureOf(['text'], 'embeddings'),
    supported_parameters: [],
    citations: false,
    pricing: { input: creditsNumber(microsPerToken * tokensOfPrice), output: 0, tool_call: 0 },
  }
}

function modelBody(model: CatalogueModel): BodyOf<typeof modelSchema> {
  const { id, title, created, contextTokens, price, isLite, readsImages } = model
  return {
    id,
    object: 'model',
    created,
    owned_by: 'service',
    name: title,
    type: 'chat',
    context_length: contextTokens,
    architecture: architectureOf(
      ['text', ...(readsImages ? ['image' as const] : []), ...(isLite ? [] : ['file' as const])],
      'text',
    ),
    supported_parameters: supportedBy(model),
    citations: !isLite,
    pricing: {
      input: creditsNumber(price.inputMicrosPerToken * tokensOfPrice),
      output: creditsNumber(price.outputMicrosPerToken * tokensOfPrice),
      tool_call: creditsNumber(price.toolCallMicros),
    },
  }
}

type Modality = z.infer<typeof modality>

function architectureOf(reads: Modality[], writes: Modality) {
  return {
    modality: `${reads.join('+')}->${writes}`,
    input_modalities: reads,
    output_modalities: [writes],
    tokenizer: 'Other' as const,
    instruct_type: null,
  }
}

/** The built-in model obeys what the service does itself; a model without sources gets no tools. */
function supportedBy({ isBuiltIn, isLite }: CatalogueModel): string[] {
  return [
    ...['max_completion_tokens', 'max_tokens', 'response_format', 'stop', 'structured_outputs'],
    ...(isBuiltIn ? [] : ['reasoning_effort', 'seed', 'temperature', 'top_p']),
    ...(isLite ? [] : ['include_reasoning', 'reasoning']),
    ...(isLite || isBuiltIn ? [] : ['tool_choice', 'tools']),
  ].toSorted()
}

const tokensOfPrice = 1_000_000n
