import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { close, listenAt } from './loopback.ts'

export type FakeEmbeddings = {
  /** As `EMBEDDINGS_BASE_URL`. */
  readonly baseUrl: string
  readonly requests: readonly {
    readonly input: readonly (string | readonly number[])[]
    readonly dimensions: number | undefined
    readonly authorization: string
  }[]
  /** Counts so many tokens in all replies from now on; default: replies have no count. */
  count(tokens: number | undefined): void
  /** Answers the next `times` requests with this status instead of vectors. */
  fail(status: number, times: number, headers?: Readonly<Record<string, string>>): void
  /** Answers the next `times` requests with this body and status 200. */
  say(body: string, times: number): void
  /** Delays all replies from now on. */
  slow(milliseconds: number): void
  /** Replies from now on wait for this. */
  waitFor(event: Promise<unknown>): void
  close(): Promise<void>
}

type Canned = {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A server with OpenAI's `POST /embeddings` on loopback. Its vectors have one dimension per topic, which is a
 * list of words; a text gets a value there if it contains one of them. Texts without a common word can so be
 * similar.
 */
export async function startFakeEmbeddings(topics: readonly (readonly string[])[]): Promise<FakeEmbeddings> {
  const requests: {
    input: readonly (string | readonly number[])[]
    dimensions: number | undefined
    authorization: string
  }[] = []
  let tokens: number | undefined
  const canned: Canned[] = []
  let slowMs = 0
  let awaited: Promise<unknown> = Promise.resolve()
  const server = createServer((request, response) => {
    void answer(request, response)
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { input, dimensions } = JSON.parse(Buffer.concat(parts).toString()) as {
      input: readonly (string | readonly number[])[]
      dimensions?: number
    }
    requests.push({ input, dimensions, authorization: request.headers.authorization ?? '' })
    await awaited
    if (slowMs > 0) await delay(slowMs, undefined, { ref: false })
    const { status, body, headers } = canned.shift() ?? {
      status: 200,
      headers: {},
      // In reverse order, which the format allows: `index` gives the position.
      body: JSON.stringify({
        object: 'list',
        data: input
          .map((text, index) => ({ index, embedding: vectorOf(text, topics).slice(0, dimensions) }))
          .reverse(),
        ...(tokens !== undefined && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
      }),
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }

  return {
    baseUrl: `${await listenAt(server)}/v1`,
    requests,
    fail: (status, times, headers = {}) => {
      for (let i = 0; i < times; i += 1) canned.push({ status, body: '{"error":"trouble"}', headers })
    },
    say: (body, times) => {
      for (let i = 0; i < times; i += 1) canned.push({ status: 200, body, headers: {} })
    },
    count: (counted) => {
      tokens = counted
    },
    slow: (milliseconds) => {
      slowMs = milliseconds
    },
    waitFor: (event) => {
      awaited = event
    },
    close: () => close(server),
  }
}

function vectorOf(
  text: string | readonly number[],
  topics: readonly (readonly string[])[],
): readonly number[] {
  if (typeof text !== 'string') return [0.1, ...topics.map(() => text.length)]
  return [0.1, ...topics.map((words) => words.filter((word) => text.includes(word)).length)]
}
