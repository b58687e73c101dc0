import { apis } from '../agent/ai-sdk/apis.ts'
import { createAiSdkProvider } from '../agent/ai-sdk/provider.ts'
import { createLiteProvider } from '../agent/extractive/lite.ts'
import { createExtractiveProvider } from '../agent/extractive/provider.ts'
import { createOpenAiProvider } from '../agent/openai/provider.ts'
import type { ClosableProvider } from '../agent/openai/retried-call.ts'
import type { ProviderFailure } from '../agent/provider.ts'
import { ConfigError } from '../config.ts'
import { createFallbackProvider, type FallbackCondition, fallbackConditions } from './fallback-provider.ts'
import { type Entry, isBuiltIn, type Server } from './models-file.ts'

export type CatalogueListeners = {
  /** Listener for each failed call to a model's server. */
  readonly onFailure?: ((kind: ProviderFailure) => void) | undefined
  /** Listener for implausible token counts; called once per model. */
  readonly onFalseUsage?: ((model: string, fault: string) => void) | undefined
  /** Listener for failed calls after which another server of the model may be asked. */
  readonly onFallback?: ((model: string, from: string, reason: FallbackCondition) => void) | undefined
}

/** Reads a variable of the environment. */
export type Variable = (name: string) => string | undefined

/**
 * Opens the servers of a model.
 * @param isLite whether the model is for utility requests.
 * @throws ConfigError if an API needs a package that is not installed, or a key that is not set.
 */
export async function openServers(
  model: Entry,
  isLite: boolean,
  listeners: CatalogueListeners,
  variable: Variable | undefined,
): Promise<ClosableProvider> {
  const { fallbacks } = model
  const context = { model, isLite, listeners, variable }
  if (fallbacks.length === 0) return openServer(context, model)
  const servers = [{ ...model, on: [] }, ...fallbacks]
  const opened = await Promise.all(
    servers.map((one, index) => openServer(context, one, retriesBefore(servers.slice(index + 1)))),
  )
  const upstreams = servers.map((one, index) => ({
    name: one.label ?? one.name ?? (isBuiltIn(one) ? 'built-in' : model.id),
    provider: opened[index] as ClosableProvider,
    on: one.on,
  }))
  return {
    ...createFallbackProvider(upstreams, (from, reason) => listeners.onFallback?.(model.id, from, reason)),
    async close() {
      await Promise.all(opened.map((one) => one.close()))
    },
  }
}

/** A server whose failures all lead to another one is not asked a second time. */
function retriesBefore(
  next: readonly { readonly on: readonly FallbackCondition[] }[],
): { max: number } | undefined {
  const covered = fallbackConditions.every((condition) => next.some(({ on }) => on.includes(condition)))
  return covered ? { max: 0 } : undefined
}

type Context = {
  readonly model: Entry
  readonly isLite: boolean
  readonly listeners: CatalogueListeners
  readonly variable: Variable | undefined
}

async function openServer(
  { model, isLite, listeners, variable }: Context,
  server: Server,
  retries?: { readonly max: number },
): Promise<ClosableProvider> {
  if (isBuiltIn(server)) {
    const provider = isLite ? createLiteProvider() : createExtractiveProvider()
    return { ...provider, close: async () => undefined }
  }
  const {
    base_url: url,
    api = 'openai',
    api_key: apiKey,
    first_word_seconds: seconds,
    headers,
    body,
  } = server
  const { onFailure, onFalseUsage } = listeners
  const common = {
    baseUrl: url?.replace(/\/+$/, ''),
    apiKey,
    model: server.name ?? model.id,
    contextTokens: model.context_tokens,
    ...(headers && { headers }),
    ...(body && { body }),
    ...(seconds !== undefined && { timers: { firstByteMs: seconds * 1_000 } }),
    ...(retries && { retries }),
    onFailure,
    onFalseUsage: (fault: string) => onFalseUsage?.(model.id, fault),
  }
  if (api === 'openai') return createOpenAiProvider({ ...common, baseUrl: common.baseUrl ?? '' })
  const { package: needed, keyVariables } = apis[api]
  if (apiKey === undefined && variable && !keyVariables.some((name) => variable(name)))
    throw new ConfigError(
      `MODELS_FILE: the model "${model.id}" has no key. Set its \`api_key\`, or ${keyVariables.join(' or ')}.`,
    )
  const { reasoning } = model
  return createAiSdkProvider({
    ...common,
    api,
    budgetTokens: typeof reasoning === 'object' ? reasoning.budget_tokens : undefined,
    region: server.region,
    apiVersion: server.api_version,
  }).catch((error: unknown): never => {
    if ((error as { readonly code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ConfigError(
      `MODELS_FILE: the model "${model.id}" needs the package ${needed}. Install it: npm run models:install -- ${api}`,
    )
  })
}
