import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { createLiteProvider } from '../agent/extractive/lite.ts'
import { createExtractiveProvider } from '../agent/extractive/provider.ts'
import { createOpenAiProvider } from '../agent/openai/provider.ts'
import type { Provider, ProviderFailure } from '../agent/provider.ts'
import { microsPerCredit } from '../billing/credits.ts'
import { defaultPrice, type Price } from '../billing/pricing.ts'
import { type Config, ConfigError } from '../config.ts'
import { messageOf } from '../errors.ts'
import { createFallbackProvider, type FallbackCondition, fallbackConditions } from './fallback-provider.ts'

export type CatalogueModel = {
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
  /** For utility requests: one call without tools, whose answer is not checked. */
  readonly isLite: boolean
}

/** The models that requests can name; always includes the ids `service` and `service-lite`. */
export type Catalogue = {
  readonly models: readonly CatalogueModel[]
  find(id: string): CatalogueModel | undefined
  close(): Promise<void>
}

/** 2026-01-01, when the catalogue began. */
export const catalogueSince = 1_767_225_600

const credits = z.number().min(0).max(1_000_000)

/** A server for a model. */
const server = {
  /** Absent: the built-in extractive provider. */
  base_url: z
    .string()
    .regex(/^https?:\/\//)
    .optional(),
  api_key: z.string().min(1).optional(),
  name: z.string().min(1).optional(),
  /** What clients and operators read as the name of the server; default: `name`. */
  label: z.string().min(1).max(100).optional(),
  /** Seconds within which the reply must begin; default: 60. */
  first_word_seconds: z.number().min(1).max(600).optional(),
}

const fallback = z.strictObject({
  ...server,
  /** The failures after which it is asked. */
  on: z
    .array(z.enum(fallbackConditions))
    .min(1)
    .default([...fallbackConditions]),
})

const entry = z
  .strictObject({
    id: z.string().regex(/^[A-Za-z0-9._:-]{1,100}$/, 'letters, digits and . _ : - only'),
    ...server,
    /** Servers that are asked in this order when the one before fails. */
    fallbacks: z.array(fallback).max(5).default([]),
    /** The name that clients show; default: the id. */
    title: z.string().min(1).max(100).optional(),
    context_tokens: z.number().int().min(1_000).max(100_000_000).default(128_000),
    images: z.boolean().default(false),
    /** Default: only for the id `service-lite`. */
    lite: z.boolean().optional(),
    /** Credits for 1,000 input tokens, 1,000 output tokens, and one tool call. */
    price: z
      .strictObject({
        input: credits,
        output: credits,
        tool_call: credits,
        /** Prices of single tools that differ from `tool_call`, by tool name. */
        tools: z.record(z.string(), credits).optional(),
      })
      .optional(),
  })
  .refine(({ base_url: url, fallbacks }) => url !== undefined || fallbacks.length === 0, {
    error: 'need a model with `base_url`: the built-in model does not fail',
    path: ['fallbacks'],
  })

const file = z.strictObject({ models: z.array(entry).max(100) })

type Entry = z.infer<typeof entry>
type Server = Omit<z.infer<typeof fallback>, 'on'>

export type CatalogueListeners = {
  /** Listener for each failed call to a model's server. */
  readonly onFailure?: ((kind: ProviderFailure) => void) | undefined
  /** Listener for implausible token counts; called once per model. */
  readonly onFalseUsage?: ((model: string, fault: string) => void) | undefined
  /** Listener for failed calls after which another server of the model may be asked. */
  readonly onFallback?: ((model: string, from: string, reason: FallbackCondition) => void) | undefined
}

/**
 * Reads the catalogue of `MODELS_FILE` and `MODEL_*`. Without both, `service` is the extractive provider. Unless the file
 * has an entry `service-lite`, it is the model of `service`.
 * @throws ConfigError that names the wrong field of the file.
 */
export async function openCatalogue(
  config: Config['model'],
  listeners: CatalogueListeners = {},
): Promise<Catalogue> {
  const entries = config.catalogueFile ? await readEntries(config.catalogueFile) : []
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
  const closers: (() => Promise<void>)[] = []
  const models = entries.map((model): CatalogueModel => {
    return {
      id: model.id,
      title: model.title ?? model.id,
      created: catalogueSince,
      provider: providerFor(model, closers, listeners),
      price: priceOf(model),
      contextTokens: model.context_tokens,
      readsImages: model.images,
      isBuiltIn: model.base_url === undefined,
      usesOutsideTools: model.base_url !== undefined && !isLite(model),
      isLite: isLite(model),
    }
  })
  models.push(...liteOf(models, entries))
  return {
    models,
    find: (id) => models.find((model) => model.id === id),
    async close() {
      await Promise.all(closers.map((close) => close()))
    },
  }
}

const liteId = 'service-lite'

const isLite = ({ id, lite = id === liteId }: Entry): boolean => lite

/** The model of `service` for utility requests, at the price of its tokens; none if the file has its own. */
function liteOf(models: readonly CatalogueModel[], entries: readonly Entry[]): readonly CatalogueModel[] {
  const service = models.find(({ id }) => id === 'service')
  if (!service || models.some(({ id }) => id === liteId)) return []
  const isBuiltIn = entries.some(({ id, base_url }) => id === 'service' && base_url === undefined)
  const { inputMicrosPerToken, outputMicrosPerToken } = service.price
  return [
    {
      ...service,
      id: liteId,
      title: liteId,
      provider: isBuiltIn ? createLiteProvider() : service.provider,
      price: { inputMicrosPerToken, outputMicrosPerToken, toolCallMicros: 0n },
      usesOutsideTools: false,
      isLite: true,
    },
  ]
}

function providerFor(
  model: Entry,
  closers: (() => Promise<void>)[],
  listeners: CatalogueListeners,
): Provider {
  const { fallbacks } = model
  if (fallbacks.length === 0) return serverFor(model, model, closers, listeners)
  const servers = [{ ...model, on: [] }, ...fallbacks]
  return createFallbackProvider(
    servers.map((one, index) => ({
      name: one.label ?? one.name ?? (one.base_url === undefined ? 'built-in' : model.id),
      provider: serverFor(model, one, closers, listeners, retriesBefore(servers.slice(index + 1))),
      on: one.on,
    })),
    (from, reason) => listeners.onFallback?.(model.id, from, reason),
  )
}

/** A server whose failures all lead to another one is not asked a second time. */
function retriesBefore(
  next: readonly { readonly on: readonly FallbackCondition[] }[],
): { max: number } | undefined {
  const covered = fallbackConditions.every((condition) => next.some(({ on }) => on.includes(condition)))
  return covered ? { max: 0 } : undefined
}

function serverFor(
  model: Entry,
  { base_url: url, api_key: apiKey, name, first_word_seconds: seconds }: Server,
  closers: (() => Promise<void>)[],
  { onFailure, onFalseUsage }: CatalogueListeners,
  retries?: { readonly max: number },
): Provider {
  if (url === undefined) return isLite(model) ? createLiteProvider() : createExtractiveProvider()
  const provider = createOpenAiProvider({
    baseUrl: url.replace(/\/+$/, ''),
    ...(apiKey !== undefined && { apiKey }),
    model: name ?? model.id,
    contextTokens: model.context_tokens,
    ...(seconds !== undefined && { timers: { firstByteMs: seconds * 1_000 } }),
    ...(retries && { retries }),
    onFailure,
    onFalseUsage: (fault) => onFalseUsage?.(model.id, fault),
  })
  closers.push(() => provider.close())
  return provider
}

function priceOf(model: Entry): Price {
  if (!model.price) return defaultPrice
  const micros = (amount: number, per: number) => BigInt(Math.round((amount * Number(microsPerCredit)) / per))
  return {
    inputMicrosPerToken: micros(model.price.input, 1_000),
    outputMicrosPerToken: micros(model.price.output, 1_000),
    toolCallMicros: micros(model.price.tool_call, 1),
    toolMicros: new Map(
      Object.entries(model.price.tools ?? {}).map(([name, price]) => [name, micros(price, 1)]),
    ),
  }
}

async function readEntries(path: string): Promise<Entry[]> {
  try {
    const parsed = file.safeParse(JSON.parse(await readFile(path, 'utf8')))
    if (parsed.success) return parsed.data.models
    const issue = parsed.error.issues[0]
    throw new Error(`${issue?.path.join('.')}: ${issue?.message}`)
  } catch (error) {
    throw new ConfigError(`MODELS_FILE ${path} cannot be used: ${messageOf(error)}`)
  }
}
