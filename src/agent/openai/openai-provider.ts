import { Agent, type Dispatcher } from 'undici'
import type { Provider, ProviderFailure } from '../provider.ts'
import { type CallSettings, ModelCall, type Retries } from './openai-call.ts'
import type { Timers } from './openai-watchdog.ts'

export type OpenAiProviderOptions = {
  /** Up to and without `/chat/completions`, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  readonly model: string
  readonly timers?: Partial<Timers>
  readonly retries?: Partial<Retries>
  /** Called for each attempt that failed, those included that are made again. */
  readonly onFailure?: ((kind: ProviderFailure) => void) | undefined
  /** Tokens that the model can read in one call; token counts far above it are not believed. Unless set, 128,000. */
  readonly contextTokens?: number
  /** Called for the first impossible token count: an estimate stands in for it and for every later one. */
  readonly onFalseUsage?: ((fault: string) => void) | undefined
  /** Connections to the upstream at one time; further calls wait for one, on their first-byte clock. */
  readonly connections?: number
  /** Used in place of an agent of the provider's own, and not closed with it. */
  readonly fetchDispatcher?: Dispatcher
}

export interface OpenAiProvider extends Provider {
  /** Ends the calls that run (as `aborted`) and closes the connections. */
  close(): Promise<void>
}

const TIMERS: Timers = { firstByteMs: 60_000, idleMs: 120_000, totalMs: 600_000 }
const RETRIES: Retries = { most: 2, baseMs: 500, longestMs: 8_000 }
const CONNECTIONS = 8_192
const CONNECT_MS = 10_000
const CONTEXT_TOKENS = 128_000

/**
 * A client of any OpenAI-compatible chat-completions endpoint.
 * @throws TypeError when the address or the key cannot be used; the message shows neither's value.
 */
export function createOpenAiProvider(options: OpenAiProviderOptions): OpenAiProvider {
  const url = completionsUrl(options.baseUrl)
  const apiKey = usableKey(options.apiKey)
  const dispatcher = options.fetchDispatcher ?? createAgent(options.connections ?? CONNECTIONS)
  const dialect = { streamOptions: true, maxTokensField: 'max_tokens' } as const
  const settings: CallSettings = {
    target: { url, apiKey, model: options.model, dispatcher, dialect },
    timers: { ...TIMERS, ...options.timers },
    retries: { ...RETRIES, ...options.retries },
    onFailure: options.onFailure,
    contextTokens: options.contextTokens ?? CONTEXT_TOKENS,
    onFalseUsage: once(options.onFalseUsage),
  }
  // Not one signal for all: who stops to listen to one of thousands of listeners is looked for among them.
  const calls = new Set<ModelCall>()
  let isClosed = false
  return {
    ask(request, signal, hear) {
      const call = new ModelCall(settings, request, signal)
      calls.add(call)
      if (isClosed) call.abort()
      return call.make(hear).finally(() => calls.delete(call))
    },
    close: async () => {
      isClosed = true
      for (const call of calls) call.abort()
      if (!options.fetchDispatcher) await dispatcher.destroy()
    },
  }
}

/** A server that counts wrong does so with every call. */
function once(listener: OpenAiProviderOptions['onFalseUsage']): OpenAiProviderOptions['onFalseUsage'] {
  let isCalled = false
  return (fault) => {
    if (!isCalled) listener?.(fault)
    isCalled = true
  }
}

/** HTTP/1.1 only: each call has a connection to itself, so that ending the call is closing the connection. */
function createAgent(connections: number): Agent {
  return new Agent({ connections, allowH2: false, connect: { timeout: CONNECT_MS } })
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
