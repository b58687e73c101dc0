import { setTimeout as delay } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import { z } from 'zod'

export type EmbeddingsSettings = {
  /** Base URL without a slash at its end, such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly model: string
}

export type Vector = readonly number[]

export type Patience = {
  /** Timeout of one request, in milliseconds. */
  readonly timeoutMs: number
  /** Maximum number of retries after a transient failure. */
  readonly retries: number
}

export type EmbeddingsClient = {
  readonly model: string
  /**
   * Requests the vectors of texts, in order. All have the same length.
   * @throws EmbeddingsFault
   */
  embed(texts: readonly string[], patience?: Patience): Promise<readonly Vector[]>
  close(): Promise<void>
}

/**
 * Why there are no vectors. It contains only statuses and codes, because a message of the server may repeat the key.
 */
export class EmbeddingsFault extends Error {
  override readonly name = 'EmbeddingsFault'
  /** Whether the same request may succeed later. */
  readonly passing: boolean
  /** How long the server asks the client to wait, in milliseconds. */
  readonly waitMs: number

  constructor(message: string, passing: boolean, waitMs = 0) {
    super(message)
    this.passing = passing
    this.waitMs = waitMs
  }
}

/** Texts per request. Servers limit the number, and a small batch repeats little after a failure. */
export const batchSize = 64

const bulk: Patience = { timeoutMs: 30_000, retries: 2 }

const firstWaitMs = 250
const longestWaitMs = 20_000
const largestReplyBytes = 32 * 1024 * 1024

const reply = z.object({
  data: z.array(z.object({ index: z.number().int().optional(), embedding: z.array(z.number()).min(1) })),
})

/** Creates a client for any server with OpenAI's `POST /embeddings`. It keeps connections open; call `close`. */
export function createEmbeddingsClient(settings: EmbeddingsSettings): EmbeddingsClient {
  const dispatcher = new Agent({ maxResponseSize: largestReplyBytes })
  return {
    model: settings.model,
    async embed(texts, patience = bulk) {
      const vectors: Vector[] = []
      for (let from = 0; from < texts.length; from += batchSize) {
        vectors.push(
          ...(await embedPatiently(settings, dispatcher, texts.slice(from, from + batchSize), patience)),
        )
      }
      if (vectors.some((vector) => vector.length !== vectors[0]?.length))
        throw unreadable('of several lengths')
      return vectors
    },
    close: () => dispatcher.close(),
  }
}

async function embedPatiently(
  settings: EmbeddingsSettings,
  dispatcher: Dispatcher,
  texts: readonly string[],
  { timeoutMs, retries }: Patience,
): Promise<readonly Vector[]> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await embedOnce(settings, dispatcher, texts, timeoutMs)
    } catch (error) {
      const fault = asFault(error, timeoutMs)
      if (!fault.passing || attempt >= retries) throw fault
      await delay(Math.min(Math.max(fault.waitMs, firstWaitMs * 2 ** attempt), longestWaitMs))
    }
  }
}

async function embedOnce(
  { baseUrl, apiKey, model }: EmbeddingsSettings,
  dispatcher: Dispatcher,
  texts: readonly string[],
  timeoutMs: number,
): Promise<readonly Vector[]> {
  const { statusCode, headers, body } = await request(`${baseUrl}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({ model, input: texts.map(readable) }),
    dispatcher,
    // Limits the whole exchange, including a slow body.
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (statusCode !== 200) {
    await body.dump()
    throw refusal(statusCode, Number(headers['retry-after']))
  }
  const { success, data } = reply.safeParse(await body.json().catch(refuseSyntax))
  if (!success || data.data.length !== texts.length) throw unreadable('not one for each text')
  return data.data
    .map(({ index, embedding }, place) => ({ index: index ?? place, embedding }))
    .sort((a, b) => a.index - b.index)
    .map(({ embedding }) => embedding)
}

/** Maximum characters per text. Models usually read less, and servers refuse texts beyond their limit. */
const longestText = 4_000

/**
 * Removes vowel points and cantillation, which cost many tokens and add little meaning. Some servers refuse an empty
 * input.
 */
function readable(text: string): string {
  const bare = text.replace(/[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g, '')
  return bare.slice(0, longestText).toWellFormed().trim() || '-'
}

function refusal(status: number, retryAfterSeconds: number): EmbeddingsFault {
  const passing = status >= 500 || status === 408 || status === 409 || status === 429
  const waitMs = retryAfterSeconds > 0 ? retryAfterSeconds * 1_000 : 0
  return new EmbeddingsFault(`The embeddings server answered with status ${status}.`, passing, waitMs)
}

function unreadable(what: string): EmbeddingsFault {
  return new EmbeddingsFault(`The embeddings server sent vectors that cannot be used: ${what}.`, false)
}

/** Distinguishes invalid JSON from a reply that was cut off by a timeout or a lost connection. */
function refuseSyntax(error: unknown): never {
  throw error instanceof SyntaxError ? unreadable('no JSON') : error
}

function asFault(error: unknown, timeoutMs: number): EmbeddingsFault {
  if (error instanceof EmbeddingsFault) return error
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown }
  if (name === 'TimeoutError') {
    return new EmbeddingsFault(`The embeddings server did not answer within ${timeoutMs} ms.`, true)
  }
  const why = typeof code === 'string' ? ` (${code})` : ''
  return new EmbeddingsFault(`The connection to the embeddings server failed${why}.`, true)
}
