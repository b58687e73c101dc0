import type { Dispatcher } from 'undici'
import { questionOf, type TurnScript, wordOf } from './script.ts'

/** Where turns are sent. `full`: a service, whose replies end with usage and cost; else a plain pass-through. */
export type Target = {
  readonly name: string
  readonly url: string
  readonly key: string
  readonly dispatcher: Dispatcher
  readonly full: boolean
}

/** Times of one exchange in milliseconds from its beginning. */
export type Exchange = {
  readonly firstTextMs: number
  readonly totalMs: number
  /** Of each paced chunk: from its sending by the model to its arrival here. */
  readonly lagsMs: readonly number[]
  /** Longest silence between two pieces of the reply. */
  readonly silenceMs: number
}

/**
 * Sends one turn and checks all of its reply.
 * @throws Error saying what is wrong with the reply.
 */
export async function exchange(
  target: Target,
  script: TurnScript,
  options: { readonly streamed: boolean; readonly onFirstByte?: () => void },
): Promise<Exchange> {
  const began = performance.now()
  const { statusCode, body } = await target.dispatcher.request({
    origin: target.url,
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${target.key}` },
    body: JSON.stringify({
      model: 'service',
      messages: [{ role: 'user', content: questionOf(script) }],
      stream: options.streamed,
      ...(options.streamed && { stream_options: { include_usage: true } }),
    }),
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
  })
  const reader = new ReplyReader(began)
  for await (const bytes of body as AsyncIterable<Buffer>) {
    options.onFirstByte?.()
    reader.take(bytes)
  }
  const totalMs = performance.now() - began
  if (statusCode !== 200) throw new Error(`status ${statusCode}: ${reader.text.slice(0, 300)}`)
  const reply = options.streamed ? streamed(reader.text) : whole(reader.text)
  const paced = script.gapMs > 0
  const lagsMs = paced ? reader.lags() : []
  requireReply(reply, script, target.full)
  return { firstTextMs: reader.firstTextMs, totalMs, lagsMs, silenceMs: reader.silenceMs }
}

/** Collects the pieces of a reply and when they came. */
class ReplyReader {
  text = ''
  firstTextMs = 0
  silenceMs = 0
  readonly #began: number
  readonly #arrivals: { readonly end: number; readonly at: number }[] = []
  #last: number

  constructor(began: number) {
    this.#began = began
    this.#last = began
  }

  take(bytes: Buffer): void {
    const now = performance.now()
    this.text += bytes.toString('latin1')
    if (this.firstTextMs === 0 && this.text.includes('word')) this.firstTextMs = now - this.#began
    this.silenceMs = Math.max(this.silenceMs, now - this.#last)
    this.#last = now
    this.#arrivals.push({ end: this.text.length, at: now })
  }

  lags(): number[] {
    let piece = 0
    return [...this.text.matchAll(/word\d+@(\d+\.\d+)/g)].map((found) => {
      while ((this.#arrivals[piece]?.end ?? 0) < found.index + found[0].length) piece += 1
      return performance.timeOrigin + (this.#arrivals[piece]?.at ?? 0) - Number(found[1])
    })
  }
}

type Reply = {
  readonly text: string
  readonly finish: string
  readonly done: boolean
  readonly cost: unknown
}
type Body = {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string }
    readonly message?: { readonly content?: string }
    readonly finish_reason?: string | null
  }[]
  readonly usage?: { readonly cost?: number }
}

function streamed(text: string): Reply {
  let [said, finish, done, cost]: [string, string, boolean, unknown] = ['', '', false, undefined]
  for (const line of text.split('\n')) {
    if (!line.startsWith('data: ')) continue
    if (done) throw new Error('something follows [DONE]')
    if (line === 'data: [DONE]') {
      done = true
      continue
    }
    const body = JSON.parse(line.slice(6)) as Body
    const choice = body.choices?.[0]
    if (choice?.finish_reason) {
      if (finish !== '') throw new Error('two finish chunks')
      finish = choice.finish_reason
    }
    said += choice?.delta?.content ?? ''
    cost ??= body.usage?.cost
  }
  return { text: said, finish, done, cost }
}

function whole(text: string): Reply {
  const body = JSON.parse(text) as Body
  const choice = body.choices?.[0]
  return {
    text: choice?.message?.content ?? '',
    finish: choice?.finish_reason ?? '',
    done: true,
    cost: body.usage?.cost,
  }
}

function requireReply({ text, finish, done, cost }: Reply, script: TurnScript, full: boolean): void {
  const expected = Array.from({ length: script.chunks }, (_, i) => wordOf(i, false)).join('')
  const said = text.replaceAll(/@[\d.]+/g, '')
  // The service leaves blanks at the very end to the next word, which never comes.
  if (said.trimEnd() !== expected.trimEnd()) throw new Error(`wrong text: ${said.slice(0, 200)}`)
  if (finish !== 'stop') throw new Error(`finish reason "${finish}"`)
  if (!done) throw new Error('no [DONE]')
  if (full && !(typeof cost === 'number' && cost > 0)) throw new Error(`cost ${cost}`)
}
