import { setTimeout as delay } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import { z } from 'zod'

export type EmbeddingsSettings = {
  /** Without a slash at its end, such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly model: string
}

export type Vector = readonly number[]

export type Patience = {
  /** How long one request may take. */
  readonly timeoutMs: number
  /** How often a request that failed for a passing reason is sent again. */
  readonly retries: number
}

export type EmbeddingsClient = {
  readonly model: string
  /**
   * The vectors of texts, in their order and all of one length.
   * @throws EmbeddingsFault
   */
  embed(texts: readonly string[], patience?: Patience): Promise<readonly Vector[]>
  close(): Promise<void>
}

/** Why there are no vectors. Made of statuses and codes alone: what a server says may repeat the key. */
export class EmbeddingsFault extends Error {
  override readonly name = 'EmbeddingsFault'
  /** The same request may succeed later. */
  readonly passing: boolean
  /** How long the server asked us to wait. */
  readonly waitMs: number

  constructor(message: string, passing: boolean, waitMs = 0) {
    super(message)
    this.passing = passing
    this.waitMs = waitMs
  }
}

/** Texts a request: servers limit them, and a request that fails repeats little. */
export const batchSize = 64

const bulk: Patience = { timeoutMs: 30_000, retries: 2 }

const firstWaitMs = 250
const longestWaitMs = 20_000
const largestReplyBytes = 32 * 1024 * 1024

const reply = z.object({
  data: z.array(z.object({ index: z.number().int().optional(), embedding: z.array(z.number()).min(1) })),
})

/** A client of any server with OpenAI's `POST /embeddings`. It keeps connections: close it. */
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
    // Bounds the whole exchange, a body that trickles included.
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

/** More than a model reads of a passage as a rule; servers refuse what is longer than its window. */
const longestText = 4_000

/** Vowel points and cantillation make many tokens and little meaning for a model. An empty input is refused by some. */
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

/** A reply that was cut off by its clock or connection is another matter than one that is no JSON. */
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
