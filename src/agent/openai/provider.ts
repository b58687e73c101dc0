import { Agent, type Dispatcher } from 'undici'
import type { Provider, ProviderFailure } from '../provider.ts'
import { noAdaptation } from './adaptation.ts'
import { type CallSettings, ModelCall } from './call.ts'
import { type Retries, standardRetries, standardTimers } from './retried-call.ts'
import type { Timers } from './watchdog.ts'

export type OpenAiProviderOptions = {
  /** The URL before `/chat/completions`, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  readonly model: string
  /** Headers of each request besides ours. */
  readonly headers?: Readonly<Record<string, string>>
  /** Members of each request's body besides ours. What the client sends wins. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly timers?: Partial<Timers>
  readonly retries?: Partial<Retries>
  /** Called for each failed attempt, including those that are retried. */
  readonly onFailure?: ((kind: ProviderFailure) => void) | undefined
  /**
   * Tokens that the model reads in one call; default: 128,000. Reported counts far above it are replaced by
   * estimates.
   */
  readonly contextTokens?: number
  /**
   * Called for the first impossible token count. That count and all later impossible ones are replaced by
   * estimates.
   */
  readonly onFalseUsage?: ((fault: string) => void) | undefined
  /**
   * Maximum connections to the upstream. Further calls wait for one, which counts towards their first-byte
   * limit.
   */
  readonly connections?: number
  /** Replaces the provider's own agent. `close` does not close it. */
  readonly fetchDispatcher?: Dispatcher
}

export interface OpenAiProvider extends Provider {
  /** Ends running calls (as `aborted`) and closes the connections. */
  close(): Promise<void>
}

const CONNECTIONS = 8_192
const CONNECT_MS = 10_000
const CONTEXT_TOKENS = 128_000

/**
 * A client for any OpenAI-compatible chat-completions endpoint.
 * @throws TypeError if the URL or the key is unusable. The message contains neither value.
 */
export function createOpenAiProvider(options: OpenAiProviderOptions): OpenAiProvider {
  const url = completionsUrl(options.baseUrl)
  const apiKey = usableKey(options.apiKey)
  const { connections = CONNECTIONS } = options
  // HTTP/1.1 only. Each call then has its own connection, and closing the connection ends the call.
  const agentOptions = { connections, allowH2: false, connect: { timeout: CONNECT_MS } }
  const dispatcher = options.fetchDispatcher ?? new Agent(agentOptions)
  const { model, headers = {}, body: extra = {} } = options
  const upstream = `openai ${url.origin}${url.pathname} ${model}`
  const settings: CallSettings = {
    target: { url, apiKey, model, upstream, headers, extra, dispatcher, adaptation: noAdaptation },
    timers: { ...standardTimers, ...options.timers },
    retries: { ...standardRetries, ...options.retries },
    reasoning: { closesOnly: false },
    onFailure: options.onFailure,
    contextTokens: options.contextTokens ?? CONTEXT_TOKENS,
    onFalseUsage: once(options.onFalseUsage),
  }
  // Calls are listed instead of sharing one signal: removing one of thousands of listeners from a signal is a
  // linear search.
  const calls = new Set<ModelCall>()
  let isClosed = false
  return {
    ask(request, signal, onText) {
      const call = new ModelCall(settings, request, signal)
      calls.add(call)
      if (isClosed) call.abort()
      return call.make(onText).finally(() => calls.delete(call))
    },
    close: async () => {
      isClosed = true
      for (const call of calls) call.abort()
      if (!options.fetchDispatcher) await dispatcher.destroy()
    },
  }
}

/** Calls the listener once: a server that counts wrong does so in every call. */
function once(listener: OpenAiProviderOptions['onFalseUsage']): OpenAiProviderOptions['onFalseUsage'] {
  let isCalled = false
  return (fault) => {
    if (!isCalled) listener?.(fault)
    isCalled = true
  }
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
