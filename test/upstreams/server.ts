import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as soon } from 'node:timers/promises'
import { moveOf, turnOf } from './plan.ts'
import { type Body, type Issued, type Provider, plain, type Refusal, type Tokens } from './provider.ts'

/** One request and what became of it. */
export type Exchange = {
  readonly body: Body
  readonly headers: IncomingHttpHeaders
  /** Milliseconds of the monotonic clock at its arrival. */
  readonly at: number
  /** The question's name and its replies so far; none for a request without a plan, which the server refuses. */
  readonly id: string | undefined
  readonly step: number | undefined
  /** What came back of earlier replies. */
  readonly returned: readonly Issued[]
  readonly refusal?: Refusal | undefined
  /** Set for replies, also for those that did not reach their end. */
  readonly tokens?: Tokens
  readonly issued?: Issued
  /** Resolves when the reply is over: `complete`, or `cut` when the client closed the connection before. */
  readonly ended: Promise<'complete' | 'cut'>
}

export type UpstreamServer = {
  readonly provider: Provider
  readonly baseUrl: string
  /** Exchanges of a question, oldest first. */
  exchanges(id: string): readonly Exchange[]
  close(): Promise<void>
}

/** Plays a provider on 127.0.0.1. What the model does stands in the question: see `plan.ts`. */
export async function startUpstream(provider: Provider): Promise<UpstreamServer> {
  const stage = new Stage(provider)
  const server = createServer((request, response) => {
    stage.handle(request, response).catch((fault: unknown) => {
      // A mistake of the test: its words reach the client of the service.
      if (!response.headersSent) response.writeHead(501, { 'content-type': 'text/plain' })
      response.end(String(fault))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    provider,
    baseUrl: `http://127.0.0.1:${port}${provider.base}`,
    exchanges: (id) => stage.exchanges.filter((exchange) => exchange.id === id),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

class Stage {
  readonly exchanges: Exchange[] = []
  readonly #provider: Provider
  readonly #times = new Map<string, number>()

  constructor(provider: Provider) {
    this.#provider = provider
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider
    const path = (request.url ?? '').split('?')[0]
    if (request.method !== 'POST' || path !== provider.base + provider.path) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found')
      return
    }
    const body: Body = JSON.parse(await textOf(request))
    const { headers } = request
    const turn = turnOf(provider, body)
    const seen = {
      body,
      headers,
      id: turn?.id,
      step: turn?.step,
      at: performance.now(),
      ended: endOf(response),
    }
    const refusal = provider.check(body, headers) ?? (turn ? undefined : plain(418, 'no plan for this step'))
    const record = (more: Partial<Exchange>) =>
      void this.exchanges.push({ ...seen, returned: refusal ? [] : provider.returned(body), ...more })
    if (refusal || !turn) {
      record({ refusal })
      return refuse(response, refusal ?? provider.busy)
    }
    const { words, step, id, cut } = turn
    const word = words[Math.min(this.#time(`${id} ${step}`), words.length - 1)] ?? ''
    if (word === 'busy') {
      record({ refusal: provider.busy })
      return refuse(response, provider.busy)
    }
    const tokens = tokensOf(body, this.exchanges.length)
    const reply = provider.reply(moveOf(word), tokens, this.exchanges.length + 1, body)
    record({ tokens, issued: reply.issued })
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    response.flushHeaders()
    if (word === 'hold') await write(response, throughHalf(reply.blocks), false)
    else if (word === 'broken') await breakOff(response, reply.blocks, provider.broken)
    else response.end(await write(response, reply.blocks, cut))
  }

  /** How often the step was asked for before. */
  #time(step: string): number {
    const before = this.#times.get(step) ?? 0
    this.#times.set(step, before + 1)
    return before
  }
}

/** The blocks up to the first word of the text. */
function throughHalf(blocks: readonly string[]): readonly string[] {
  return blocks.slice(0, blocks.findIndex((block) => block.includes('Half')) + 1)
}

/** Ends the reply after the first word of its text. */
async function breakOff(
  response: ServerResponse,
  blocks: readonly string[],
  end: readonly string[] | undefined,
): Promise<void> {
  await write(response, throughHalf(blocks), false)
  if (!end) return void response.destroy()
  await write(response, end, false)
  response.end()
}

async function write(response: ServerResponse, blocks: readonly string[], cut: boolean): Promise<void> {
  for (const block of blocks) {
    if (!cut) response.write(block)
    // Each write is an HTTP chunk of its own, which readers get by itself.
    else for (const byte of Buffer.from(block)) response.write(Buffer.of(byte))
    await soon()
  }
}

/** Like a tokenizer's counts: near the lengths, and unlike any estimate. */
function tokensOf(body: Body, serial: number): Tokens {
  return { prompt: 700 + Math.ceil(JSON.stringify(body).length / 5), completion: 21 + (serial % 50) }
}

function refuse(response: ServerResponse, { status, headers, body }: Refusal): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

function endOf(response: ServerResponse): Promise<'complete' | 'cut'> {
  return new Promise((resolve) => {
    response.once('close', () => resolve(response.writableFinished ? 'complete' : 'cut'))
  })
}
