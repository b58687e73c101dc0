import { Dispatcher } from 'undici'
import { onTestFinished } from 'vitest'
import { createOpenAiProvider, type OpenAiProviderOptions } from '../../../src/agent/openai/provider.ts'
import type { ClosableProvider } from '../../../src/agent/openai/retried-call.ts'
import type { CallEnd, ModelRequest, Provider } from '../../../src/agent/provider.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts'

/** Unlike any provider's own form, so that it is not hidden for its looks. */
export const API_KEY = 'k3y.0123456789abcdefghij'

export const ask: ModelRequest = {
  messages: [{ role: 'user', content: 'What is a beinoni?' }],
  tools: [],
  toolChoice: 'auto',
  sampling: {},
}

type Started = { readonly upstream: ScriptedUpstream; readonly provider: ClosableProvider }

/** A scripted upstream with a provider pointed at it; both end with the test. Waits before retries are short. */
export async function start(options: Partial<OpenAiProviderOptions> = {}): Promise<Started> {
  const upstream = await startScriptedUpstream()
  const provider = createOpenAiProvider({
    baseUrl: upstream.baseUrl,
    apiKey: API_KEY,
    model: 'test-model',
    retries: { baseMs: 1 },
    ...options,
  })
  onTestFinished(async () => {
    await provider.close()
    await upstream.close()
  })
  return { upstream, provider }
}

export type Outcome = {
  readonly text: string
  readonly texts: readonly string[]
  readonly last: CallEnd
}

/** Hears a call to its end and checks what every call promises: no empty text, and none behind its end. */
export async function run(
  provider: Provider,
  request: ModelRequest = ask,
  signal: AbortSignal = new AbortController().signal,
  onText: (text: string) => void = () => undefined,
): Promise<Outcome> {
  const texts: string[] = []
  const last = await provider.ask(request, signal, (text) => {
    texts.push(text)
    onText(text)
    return true
  })
  const heard = texts.length
  await new Promise(setImmediate)
  if (texts.length > heard || texts.includes('')) throw new Error(`${heard} of ${JSON.stringify(texts)}`)
  return { text: texts.join(''), texts, last }
}

/** The text of a call that must succeed. */
export async function said(...call: Parameters<typeof run>): Promise<string> {
  const { text, last } = await run(...call)
  if (last.type === 'error') throw new Error(`the call failed: ${last.message}`)
  return text
}

/** Answers every request with a body that arrives in exactly these pieces, each in an event-loop turn of its own. */
class PieceDispatcher extends Dispatcher {
  readonly #pieces: readonly Uint8Array[]
  readonly #sent: (piece: number) => void

  constructor(pieces: readonly Uint8Array[], sent: (piece: number) => void) {
    super()
    this.#pieces = pieces
    this.#sent = sent
  }

  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    void this.#play(handler)
    return true
  }

  async #play(handler: Dispatcher.DispatchHandler): Promise<void> {
    let aborted = false
    const control: Partial<Dispatcher.DispatchController> = {
      abort: () => {
        aborted = true
      },
      pause: () => {},
      resume: () => {},
    }
    const controller = control as Dispatcher.DispatchController
    handler.onRequestStart?.(controller, null)
    handler.onResponseStart?.(controller, 200, { 'content-type': 'text/event-stream' }, 'OK')
    for (const [i, piece] of this.#pieces.entries()) {
      await new Promise(setImmediate)
      if (aborted) return
      handler.onResponseData?.(controller, Buffer.from(piece))
      this.#sent(i)
    }
    await new Promise(setImmediate)
    if (!aborted) handler.onResponseEnd?.(controller, {})
  }
}

/**
 * What the provider makes of a body that arrives in these pieces.
 * @param sent called when a piece has been sent, in the same turn of the loop.
 */
export function runPieces(
  pieces: readonly Uint8Array[],
  signal?: AbortSignal,
  sent: (piece: number) => void = () => undefined,
  request: ModelRequest = ask,
): Promise<Outcome> {
  return run(providerOf(pieces, sent), request, signal)
}

/** A provider whose every request is answered with these pieces, each of which is a network read. */
export function providerOf(
  pieces: readonly Uint8Array[],
  sent: (piece: number) => void = () => undefined,
): ClosableProvider {
  const fetchDispatcher = new PieceDispatcher(pieces, sent)
  return createOpenAiProvider({ baseUrl: 'http://model.test/v1', model: 'm', fetchDispatcher })
}

/** Cuts bytes at the given places (taken modulo their number). */
export function cutAt(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const sorted = [...new Set(places.map((place) => place % bytes.length))].sort((a, b) => a - b)
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length))
}

/** A chunk as upstreams send it. */
export function delta(delta: object, finishReason: string | null = null, more: object = {}): object {
  return {
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
    ...more,
  }
}

/** The text of an event stream with these payloads. */
export function eventStream(payloads: readonly (object | string)[], newline = '\n'): string {
  const line = (payload: object | string) => (typeof payload === 'string' ? payload : JSON.stringify(payload))
  return payloads.map((payload) => `data: ${line(payload)}${newline}${newline}`).join('')
}

/** What an upstream that sends these payloads as an event stream comes to. */
export function runPayloads(payloads: readonly (object | string)[]): Promise<Outcome> {
  return runPieces([new TextEncoder().encode(eventStream(payloads))])
}
