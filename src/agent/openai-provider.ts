import { setTimeout as delay } from 'node:timers/promises'
import { Agent, type Dispatcher } from 'undici'
import { asFailure, type CallFailure } from './openai-failure.ts'
import { type Body, openReply, releaseBody, type Target } from './openai-http.ts'
import { readPayloads } from './openai-payloads.ts'
import { ReplyAssembler } from './openai-reply.ts'
import { type Timers, Watchdog } from './openai-watchdog.ts'
import type { ModelChunk, ModelRequest, Provider, ProviderFailure } from './provider.ts'

type Retries = {
  /** How many times a call is sent again. */
  readonly most: number
  /** The first wait; it doubles with each retry. */
  readonly baseMs: number
  /** No wait is longer, whatever the upstream asks for. */
  readonly longestMs: number
}

export type OpenAiProviderOptions = {
  /** Up to and without `/chat/completions`, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  readonly model: string
  readonly timers?: Partial<Timers>
  readonly retries?: Partial<Retries>
  /** Told of each attempt that failed, those included that are made again. */
  readonly onFailure?: ((kind: ProviderFailure) => void) | undefined
  /** Connections to the upstream at one time; further calls wait for one, on their first-byte clock. */
  readonly connections?: number
  /** Used in place of an agent of the provider's own, and not closed with it. */
  readonly fetchDispatcher?: Dispatcher
}

export interface OpenAiProvider extends Provider {
  /** Ends the calls that run (as `aborted`) and closes the connections. */
  close(): Promise<void>
}

type TextChunk = Extract<ModelChunk, { type: 'text' }>
type LastChunk = Exclude<ModelChunk, TextChunk>

type Settings = {
  readonly target: Target
  readonly timers: Timers
  readonly retries: Retries
  readonly onFailure: OpenAiProviderOptions['onFailure']
}

const TIMERS: Timers = { firstByteMs: 60_000, idleMs: 120_000, totalMs: 600_000 }
const RETRIES: Retries = { most: 2, baseMs: 500, longestMs: 8_000 }
const CONNECTIONS = 8_192
const CONNECT_MS = 10_000

/**
 * A client of any OpenAI-compatible chat-completions endpoint.
 * @throws TypeError when the address or the key cannot be used; the message shows neither's value.
 */
export function createOpenAiProvider(options: OpenAiProviderOptions): OpenAiProvider {
  const url = completionsUrl(options.baseUrl)
  const apiKey = usableKey(options.apiKey)
  const dispatcher = options.fetchDispatcher ?? createAgent(options.connections ?? CONNECTIONS)
  const dialect = { streamOptions: true, maxTokensField: 'max_tokens' } as const
  const settings: Settings = {
    target: { url, apiKey, model: options.model, dispatcher, dialect },
    timers: { ...TIMERS, ...options.timers },
    retries: { ...RETRIES, ...options.retries },
    onFailure: options.onFailure,
  }
  const closing = new AbortController()
  return {
    stream: (request, signal) => ({
      [Symbol.asyncIterator]: () => startCall(settings, request, [signal, closing.signal]),
    }),
    close: async () => {
      closing.abort()
      if (!options.fetchDispatcher) await dispatcher.destroy()
    },
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

/** Made once: without a reason, each end of a call would make an exception with its stack. */
const consumerLeft = new Error('the consumer of a model call has left')

/** `return()` ends the call at once even while a `next()` waits: a bare generator would let that one finish first. */
function startCall(
  settings: Settings,
  request: ModelRequest,
  signals: readonly AbortSignal[],
): AsyncIterator<ModelChunk, void> {
  const stopped = new AbortController()
  let over = false
  const chunks = converse(settings, request, [...signals, stopped.signal], () => {
    over = true
  })
  return {
    next: () => chunks.next(),
    return: () => {
      if (!over) stopped.abort(consumerLeft)
      return chunks.return()
    },
  }
}

/** One model call from first to last chunk. When the last chunk comes, all that the call held has been let go of. */
async function* converse(
  settings: Settings,
  request: ModelRequest,
  signals: readonly AbortSignal[],
  onLast: () => void,
): AsyncGenerator<ModelChunk, void> {
  const watch = new Watchdog(settings.timers, signals)
  let last: LastChunk
  try {
    last = yield* callWithRetries(settings, request, watch)
    // Who has aborted gets no reply, even if it was complete by then.
    watch.checkCaller()
  } catch (fault) {
    const { kind, message } = watch.failure ?? asFailure(fault)
    last = { type: 'error', kind, message }
  } finally {
    watch.stop()
  }
  onLast()
  yield last
}

async function* callWithRetries(
  { target, retries, onFailure }: Settings,
  request: ModelRequest,
  watch: Watchdog,
): AsyncGenerator<TextChunk, LastChunk> {
  for (let retry = 0; ; retry += 1) {
    try {
      watch.check()
      return yield* callOnce(target, request, watch)
    } catch (fault) {
      const failure = watch.failure ?? asFailure(fault)
      onFailure?.(failure.kind)
      if (!failure.retryable || watch.payloadSeen || retry >= retries.most) throw failure
      watch.pause()
      await delay(waitBefore(retry, failure, retries), undefined, { signal: watch.signal })
    }
  }
}

/** The upstream's own wish, or else a doubling wait; the random part keeps callers that failed together apart. */
function waitBefore(retry: number, failure: CallFailure, { baseMs, longestMs }: Retries): number {
  const backoffMs = baseMs * 2 ** retry * (0.5 + Math.random() / 2)
  return Math.min(longestMs, failure.retryAfterMs ?? backoffMs)
}

async function* callOnce(
  target: Target,
  request: ModelRequest,
  watch: Watchdog,
): AsyncGenerator<TextChunk, LastChunk> {
  const reply = new ReplyAssembler(target.apiKey)
  const body = await openReply(target, request, watch)
  try {
    yield* readReply(body, reply, watch)
    return reply.finish(request)
  } finally {
    await releaseBody(body, reply.done)
  }
}

/** Reads to the end of the reply and yields its text, at most one chunk for each network read. */
async function* readReply(
  body: Body,
  reply: ReplyAssembler,
  watch: Watchdog,
): AsyncGenerator<TextChunk, void> {
  try {
    for await (const payloads of readPayloads(body, watch)) {
      const fault = reply.acceptAll(payloads)
      const text = reply.takeText()
      if (text !== '') {
        watch.pause()
        yield { type: 'text', text }
      }
      if (fault) throw fault
      if (reply.done) return
      watch.expect(reply.finished ? 'trailer' : 'idle')
    }
  } catch (fault) {
    const failure = watch.failure ?? asFailure(fault)
    // All but the usage is there: a connection that breaks or lingers now has cost nothing.
    const complete = reply.finished && (failure.kind === 'timeout' || failure.retryable)
    if (!complete) throw failure
  }
}
