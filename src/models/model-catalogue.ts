import { createLiteProvider } from '../agent/extractive/lite.ts'
import { agentPrompt, litePrompt, type Prompt } from '../agent/prompts/prompts.ts'
import type { Provider } from '../agent/provider.ts'
import { microsPerCredit } from '../billing/credits.ts'
import { defaultPrice, type Price } from '../billing/pricing.ts'
import type { Config } from '../config.ts'
import { readHostInstructions } from './host-instructions.ts'
import { type CatalogueListeners, openServers } from './model-servers.ts'
import { type Entry, isBuiltIn, readModelsFile } from './models-file.ts'
import type { ModelServer } from './reachability.ts'
import { type SamplingOfModel, samplingOfModel } from './sampling.ts'

export type CatalogueModel = SamplingOfModel & {
  readonly id: string
  /** The name for people. */
  readonly title: string
  /** Unix seconds. */
  readonly created: number
  readonly provider: Provider
  readonly price: Price
  /** Maximum tokens that the model reads in one call. */
  readonly contextTokens: number
  readonly readsImages: boolean
  /** Whether it has no server: it answers from passages alone. */
  readonly isBuiltIn: boolean
  /** Whether turns get the tools of outside servers. The built-in model calls none of them. */
  readonly usesOutsideTools: boolean
  /** What it is told before anything else. */
  readonly prompt: Prompt
  /** For utility requests: one call without tools, whose answer is not checked. */
  readonly isLite: boolean
}

/** The models that requests can name; always includes the ids `service` and `service-lite`. */
export type Catalogue = {
  readonly models: readonly CatalogueModel[]
  /** Those with an address in the settings. The built-in model has no server. */
  readonly servers: readonly ModelServer[]
  find(id: string): CatalogueModel | undefined
  close(): Promise<void>
}

/** 2026-01-01, when the catalogue began. */
export const catalogueSince = 1_767_225_600

/**
 * Reads the catalogue of `MODELS_FILE` and `MODEL_*`. Without both, `service` is the extractive provider. Unless the file
 * has an entry `service-lite`, it is the model of `service`.
 * @throws ConfigError that names the wrong field of the file, and what `readHostInstructions` throws.
 */
export async function openCatalogue(
  config: Config['model'],
  listeners: CatalogueListeners = {},
): Promise<Catalogue> {
  const host = config.instructionsFile ? await readHostInstructions(config.instructionsFile) : undefined
  const entries = config.catalogueFile ? await readModelsFile(config.catalogueFile) : []
  if (!entries.some((model) => model.id === 'service')) {
    entries.unshift({
      id: 'service',
      base_url: config.baseUrl,
      api_key: config.apiKey,
      name: config.name,
      context_tokens: 128_000,
      images: false,
      fallbacks: [],
    })
  }
  const prompts = { agent: agentPrompt(host), lite: litePrompt() }
  const opened = await Promise.all(
    entries.map((model) => openServers(model, isLite(model), listeners, config.variable)),
  )
  const models = entries.map((model, index): CatalogueModel => {
    return {
      id: model.id,
      title: model.title ?? model.id,
      created: catalogueSince,
      provider: opened[index] as Provider,
      price: priceOf(model),
      contextTokens: model.context_tokens,
      readsImages: model.images,
      isBuiltIn: isBuiltIn(model),
      usesOutsideTools: !isBuiltIn(model) && !isLite(model),
      prompt: isLite(model) ? prompts.lite : prompts.agent,
      isLite: isLite(model),
      ...samplingOfModel(model),
    }
  })
  models.push(...liteOf(models, entries, prompts.lite))
  return {
    models,
    servers: entries.flatMap(serversOf),
    find: (id) => models.find((model) => model.id === id),
    async close() {
      await Promise.all(opened.map((one) => one.close()))
    },
  }
}

function serversOf(model: Entry): readonly ModelServer[] {
  return [model, ...model.fallbacks].flatMap(({ base_url: url, label, name = model.id }) =>
    url === undefined ? [] : [{ model: model.id, server: label ?? name, url }],
  )
}

const liteId = 'service-lite'

const isLite = ({ id, lite = id === liteId }: Entry): boolean => lite

/** The model of `service` for utility requests, at the price of its tokens; none if the file has its own. */
function liteOf(
  models: readonly CatalogueModel[],
  entries: readonly Entry[],
  prompt: Prompt,
): readonly CatalogueModel[] {
  const service = models.find(({ id }) => id === 'service')
  if (!service || models.some(({ id }) => id === liteId)) return []
  const hasServer = entries.some((model) => model.id === 'service' && !isBuiltIn(model))
  const { toolMicros: _tools, ...price } = service.price
  return [
    {
      ...service,
      id: liteId,
      title: liteId,
      provider: hasServer ? service.provider : createLiteProvider(),
      price: { ...price, toolCallMicros: 0n },
      usesOutsideTools: false,
      prompt,
      isLite: true,
    },
  ]
}

/** Prices of tokens are whole micro-credits, so they have steps of 0.001 credits for 1,000 tokens. */
function priceOf({ price }: Entry): Price {
  if (!price) return defaultPrice
  const micros = (amount: number, per: number) => BigInt(Math.round((amount * Number(microsPerCredit)) / per))
  const perToken = (amount: number | undefined) => (amount === undefined ? undefined : micros(amount, 1_000))
  const { input, output, tool_call: toolCall, cached_input: cached, cache_write: written, reasoning } = price
  return withoutUndefined({
    inputMicrosPerToken: perToken(input) ?? defaultPrice.inputMicrosPerToken,
    outputMicrosPerToken: perToken(output) ?? defaultPrice.outputMicrosPerToken,
    toolCallMicros: toolCall === undefined ? defaultPrice.toolCallMicros : micros(toolCall, 1),
    toolMicros: new Map(Object.entries(price.tools ?? {}).map(([name, one]) => [name, micros(one, 1)])),
    cachedInputMicrosPerToken: perToken(cached),
    cacheWriteMicrosPerToken: perToken(written),
    reasoningMicrosPerToken: perToken(reasoning),
    microsPerProviderUnit: price.provider_cost === undefined ? undefined : micros(price.provider_cost, 1),
  })
}

/** Undefined members are the optional ones. */
function withoutUndefined(price: { [Name in keyof Price]: Price[Name] | undefined }): Price {
  return Object.fromEntries(Object.entries(price).filter(([, value]) => value !== undefined)) as Price
}
