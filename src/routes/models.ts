import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { creditsNumber } from '../billing/credits.ts'
import { ServiceError } from '../errors.ts'
import { type BodyOf, count, instant, type RouteDocs } from '../http/openapi/docs.ts'
import type { CatalogueModel } from '../models/model-catalogue.ts'
import type { Services } from '../turns/services.ts'

const credits = z.number().min(0)

const modelSchema = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: instant,
    owned_by: z.literal('service'),
    name: z.string().describe('The name for people'),
    context_length: count.describe('Tokens that the model reads in one call'),
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
      data: services.catalogue.models.map(modelBody),
    }),
  )

  app.get<{ Params: { model: string } }>(
    '/models/:model',
    { config: { scope: 'models:read', docs: itemDocs } },
    async (request) => {
      const model = services.catalogue.find(request.params.model)
      if (!model) {
        const known = services.catalogue.models.map((m) => m.id).join(', ')
        throw new ServiceError('model_not_found', `There is no such model. Use one of: ${known}.`, {
          param: 'model',
        })
      }
      return modelBody(model)
    },
  )
}

function modelBody(model: CatalogueModel): BodyOf<typeof modelSchema> {
  const { id, title, created, contextTokens, price, isLite } = model
  return {
    id,
    object: 'model',
    created,
    owned_by: 'service',
    name: title,
    context_length: contextTokens,
    citations: !isLite,
    pricing: {
      input: creditsNumber(price.inputMicrosPerToken * tokensOfPrice),
      output: creditsNumber(price.outputMicrosPerToken * tokensOfPrice),
      tool_call: creditsNumber(price.toolCallMicros),
    },
  }
}

const tokensOfPrice = 1_000_000n
