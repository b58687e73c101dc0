import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { close, listen } from './loopback.ts'
import {
  type Action,
  error,
  type Script,
  type ScriptedCall,
  type ScriptedUsage,
  type ScriptSource,
  toolUsingConversation,
  type UpstreamBody,
} from './upstream-scripts.ts'

export * from './upstream-scripts.ts'

type RecordedRequest = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: UpstreamBody
  /** The client's port: equal for requests on one connection. */
  readonly connection: number
  /** Resolves when the reply is over: `complete`, or `cut` when the connection closed before its end. */
  readonly ended: Promise<'complete' | 'cut'>
}

export type ScriptedUpstream = {
  /** Ends in `/v1`, as `MODEL_BASE_URL` does. */
  readonly baseUrl: string
  readonly requests: readonly RecordedRequest[]
  /** Resolves with the request of this index (from 0) as soon as it has arrived. */
  request(index: number): Promise<RecordedRequest>
  /** Answers the next requests with these scripts, in order. */
  enqueue(...scripts: readonly ScriptSource[]): void
  /** Answers requests when no enqueued script is left; without it they get a 400. */
  setDefault(script: ScriptSource): void
  /** Number of open client connections. */
  connections(): Promise<number>
  close(): Promise<void>
}

const ENCODER = new TextEncoder()

/** Plays one script into one response. */
class Performance {
  readonly #body: UpstreamBody
  readonly #response: ServerResponse
  readonly #gone: AbortSignal
  #usage: ScriptedUsage | null = { prompt_tokens: 10, completion_tokens: 5 }
  #spoke = false
  #flushed: Promise<void> = Promise.resolve()
  #finish: string | null = null

  constructor(body: UpstreamBody, response: ServerResponse, gone: AbortSignal) {
    this.#body = body
    this.#response = response
    this.#gone = gone
  }

  async play(script: Script): Promise<void> {
    for (const action of script) {
      if (this.#gone.aborted || this.#response.writableEnded) return
      await this.#act(action)
    }
    if (this.#gone.aborted || this.#response.writableEnded) return
    if (this.#spoke || this.#finish !== null) this.#complete()
    this.#response.end()
  }

  async #act(action: Action): Promise<void> {
    if ('status' in action) this.#head(action)
    else if ('sse' in action) for (const item of action.sse) this.#event(item)
    else if ('text' in action) await this.#say(action)
    else if ('toolCalls' in action) this.#call(action.toolCalls)
    else if ('usage' in action) this.#usage = action.usage
    else if ('finish' in action) this.#finish = action.finish
    else if ('raw' in action) this.#write(action.raw)
    else if ('waitMs' in action) await delay(action.waitMs, undefined, { signal: this.#gone })
    else if ('waitFor' in action) await this.#waitFor(action.waitFor)
    else if ('call' in action) action.call()
    else if ('destroy' in action) await this.#cut()
    else this.#response.end()
  }

  #head(action: Extract<Action, { status: number }>): void {
    const type = action.json === undefined ? 'text/event-stream' : 'application/json'
    this.#response.writeHead(action.status, { 'content-type': type, ...action.headers })
    if (action.json === undefined) this.#response.flushHeaders()
    else this.#response.end(JSON.stringify(action.json))
  }

  #write(data: string | Uint8Array): void {
    if (!this.#response.headersSent) this.#head({ status: 200 })
    this.#flushed = new Promise((resolve) => {
      this.#response.write(typeof data === 'string' ? ENCODER.encode(data) : data, () => resolve())
    })
  }

  /** Waits until the text written before the cut has reached the client. */
  async #cut(): Promise<void> {
    await this.#flushed
    this.#response.destroy()
  }

  #event(item: object | string): void {
    this.#write(`data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`)
  }

  #chunk(delta: object, finishReason: string | null = null): void {
    this.#event({
      id: 'chatcmpl-scripted',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: this.#body.model,
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    })
  }

  #begin(): void {
    if (!this.#spoke) this.#chunk({ role: 'assistant', content: '' })
    this.#spoke = true
  }

  async #say(action: Extract<Action, { text: string }>): Promise<void> {
    this.#begin()
    const letters = Array.from(action.text)
    const size = Math.max(1, Math.ceil(letters.length / (action.chunks ?? 1)))
    for (let at = 0; at < letters.length; at += size) {
      if (at > 0 && action.delayMs) await delay(action.delayMs, undefined, { signal: this.#gone })
      this.#chunk({ content: letters.slice(at, at + size).join('') })
    }
  }

  #call(calls: readonly ScriptedCall[]): void {
    this.#begin()
    this.#finish ??= 'tool_calls'
    for (const [index, call] of calls.entries()) {
      const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
      const id = call.id ?? `call_${this.#body.messages.length}_${index}`
      const half = Math.ceil(text.length / 2)
      const opening = { name: call.name, arguments: '' }
      this.#chunk({ tool_calls: [{ index, id, type: 'function', function: opening }] })
      this.#chunk({ tool_calls: [{ index, function: { arguments: text.slice(0, half) } }] })
      this.#chunk({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] })
    }
  }

  async #waitFor(gate: Promise<unknown>): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      this.#gone.addEventListener('abort', () => resolve(), { once: true })
    })
    await Promise.race([gate, gone])
  }

  #complete(): void {
    this.#chunk({}, this.#finish ?? 'stop')
    if (this.#usage && this.#body.stream_options?.include_usage) {
      const total = this.#usage.prompt_tokens + this.#usage.completion_tokens
      this.#event({
        object: 'chat.completion.chunk',
        choices: [],
        usage: { ...this.#usage, total_tokens: total },
      })
    }
    this.#event('[DONE]')
  }
}

async function readBody(request: IncomingMessage): Promise<UpstreamBody> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString('utf8'))
}

function outcomeOf(response: ServerResponse, gone: AbortController): Promise<'complete' | 'cut'> {
  return new Promise((resolve) => {
    response.once('close', () => {
      gone.abort()
      resolve(response.writableFinished ? 'complete' : 'cut')
    })
  })
}

/** The queue of scripts and the recorded requests of one server. */
class Stage {
  readonly requests: RecordedRequest[] = []
  readonly queue: ScriptSource[] = []
  fallback: ScriptSource = error(400, 'scripted upstream: no script left for this request')
  readonly #waiting: { index: number; resolve: (request: RecordedRequest) => void }[] = []
  readonly #records: boolean

  constructor(records: boolean) {
    this.#records = records
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    const ended = outcomeOf(response, gone)
    const path = request.url ?? '/'
    if (request.method !== 'POST' || path.split('?')[0] !== '/v1/chat/completions') {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ error: { message: `scripted upstream: no route ${request.method} ${path}` } }),
      )
      return
    }
    const body = await readBody(request)
    const connection = request.socket.remotePort ?? 0
    if (this.#records) this.#record({ path, headers: request.headers, body, connection, ended })
    const source = this.queue.shift() ?? this.fallback
    const script = typeof source === 'function' ? source(body, request.headers) : source
    await new Performance(body, response, gone.signal).play(script)
  }

  arrival(index: number): Promise<RecordedRequest> {
    const present = this.requests[index]
    if (present) return Promise.resolve(present)
    return new Promise((resolve) => this.#waiting.push({ index, resolve }))
  }

  #record(request: RecordedRequest): void {
    const index = this.requests.push(request) - 1
    for (const waiter of this.#waiting) if (waiter.index === index) waiter.resolve(request)
  }
}

/**
 * Starts a chat-completions server on 127.0.0.1 that answers as scripted; `port` 0 takes a free one. With
 * `records` off it keeps no requests, because tens of thousands would fill the memory.
 */
export async function startScriptedUpstream(
  options: { readonly port?: number; readonly records?: boolean } = {},
): Promise<ScriptedUpstream> {
  const stage = new Stage(options.records ?? true)
  const server = createServer((request, response) => {
    // A script throws only when the client disconnected during a wait, or when a test's script is wrong.
    stage.handle(request, response).catch(() => response.destroy())
  })
  return {
    baseUrl: `http://127.0.0.1:${await listen(server, options.port)}/v1`,
    requests: stage.requests,
    request: (index) => stage.arrival(index),
    enqueue: (...scripts) => void stage.queue.push(...scripts),
    setDefault: (script) => {
      stage.fallback = script
    },
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((fault, count) => (fault ? reject(fault) : resolve(count)))
      }),
    close: () => close(server),
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const flag = process.argv.indexOf('--port')
  const upstream = await startScriptedUpstream({ port: flag < 0 ? 4010 : Number(process.argv[flag + 1]) })
  upstream.setDefault(toolUsingConversation)
  process.stdout.write(`scripted upstream on ${upstream.baseUrl}\n`)
}
