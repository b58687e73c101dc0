import type { Dispatcher } from 'undici'
import { usageJudge } from '../usage.ts'
import { noAdaptation } from './adaptation.ts'
import { attempt, type CallSettings } from './call.ts'
import { type CallOptions, type ClosableProvider, openConnections, retryingProvider } from './retried-call.ts'

export type OpenAiProviderOptions = CallOptions & {
  /** The URL before `/chat/completions`, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  readonly model: string
  /** Headers of each request besides ours. */
  readonly headers?: Readonly<Record<string, string>>
  /** Members of each request's body besides ours. What the client sends wins. */
  readonly body?: Readonly<Record<string, unknown>>
  /**
   * Tokens that the model reads in one call; default: 128,000. Reported counts far above it are replaced by
   * estimates.
   */
  readonly contextTokens?: number
  /**
   * Maximum connections to the upstream. Further calls wait for one, which counts towards their first-byte
   * limit.
   */
  readonly connections?: number
  /** Replaces the provider's own agent. `close` does not close it. */
  readonly fetchDispatcher?: Dispatcher
}

const CONTEXT_TOKENS = 128_000

/**
 * A client for any OpenAI-compatible chat-completions endpoint.
 * @throws TypeError if the URL or the key is unusable. The message contains neither value.
 */
export function createOpenAiProvider(options: OpenAiProviderOptions): ClosableProvider {
  const url = completionsUrl(options.baseUrl)
  const apiKey = usableKey(options.apiKey)
  const dispatcher = options.fetchDispatcher ?? openConnections(options.connections)
  const { model, headers = {}, body: extra = {} } = options
  const upstream = `openai ${url.origin}${url.pathname} ${model}`
  const settings: CallSettings = {
    target: { url, apiKey, model, upstream, headers, extra, dispatcher, adaptation: noAdaptation },
    reasoning: { closesOnly: false },
    judge: usageJudge(options.contextTokens ?? CONTEXT_TOKENS, options.onFalseUsage),
  }
  return retryingProvider(
    options,
    (request, watch, onText) => attempt(settings, request, watch, onText),
    async () => {
      if (!options.fetchDispatcher) await dispatcher.destroy()
    },
  )
}

function completionsUrl(baseUrl: string): URL {
  const url = URL.parse(baseUrl)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("The model's base URL must be an http or https address.")
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`
  return url
}

function usableKey(apiKey: string | undefined): string | undefined {
  const key = apiKey?.trim()
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new TypeError("The model's API key must be printable ASCII without blanks.")
  }
  return key || undefined
}
