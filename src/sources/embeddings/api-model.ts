import { setTimeout as delay } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import { z } from 'zod'
import {
  batchSize,
  type EmbeddingModel,
  EmbeddingsFault,
  modelText,
  type RetryPolicy,
  type Vector,
} from './embedding-model.ts'

export type ApiModelSettings = {
  /** Without a slash at its end, such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly model: string
}

const defaultPolicy: RetryPolicy = { timeoutMs: 30_000, retries: 2 }

const firstWaitMs = 250
const maxWaitMs = 20_000
const maxReplyBytes = 32 * 1024 * 1024

const reply = z.object({
  data: z.array(z.object({ index: z.number().int().optional(), embedding: z.array(z.number()).min(1) })),
})

/** A model behind OpenAI's `POST /embeddings`. It keeps connections: close it. */
export function openApiModel(settings: ApiModelSettings): EmbeddingModel {
  const dispatcher = new Agent({ maxResponseSize: maxReplyBytes })
  return {
    name: settings.model,
    async embed(texts, _kind, policy = defaultPolicy) {
      const vectors: Vector[] = []
      for (let from = 0; from < texts.length; from += batchSize) {
        vectors.push(
          ...(await embedWithRetries(settings, dispatcher, texts.slice(from, from + batchSize), policy)),
        )
      }
      if (vectors.some((vector) => vector.length !== vectors[0]?.length))
        throw unreadable('of several lengths')
      return vectors
    },
    close: () => dispatcher.close(),
  }
}

async function embedWithRetries(
  settings: ApiModelSettings,
  dispatcher: Dispatcher,
  texts: readonly string[],
  { timeoutMs, retries }: RetryPolicy,
): Promise<readonly Vector[]> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await embedOnce(settings, dispatcher, texts, timeoutMs)
    } catch (error) {
      const fault = asFault(error, timeoutMs)
      if (!fault.retryable || attempt >= retries) throw fault
      await delay(Math.min(Math.max(fault.waitMs, firstWaitMs * 2 ** attempt), maxWaitMs))
    }
  }
}

async function embedOnce(
  { baseUrl, apiKey, model }: ApiModelSettings,
  dispatcher: Dispatcher,
  texts: readonly string[],
  timeoutMs: number,
): Promise<readonly Vector[]> {
  const { statusCode, headers, body } = await request(`${baseUrl}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({ model, input: texts.map(modelText) }),
    dispatcher,
    // Bounds the whole exchange, a slow body included.
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

function refusal(status: number, retryAfterSeconds: number): EmbeddingsFault {
  const retryable = status >= 500 || status === 408 || status === 409 || status === 429
  const waitMs = retryAfterSeconds > 0 ? retryAfterSeconds * 1_000 : 0
  return new EmbeddingsFault(`The embeddings server answered with status ${status}.`, retryable, waitMs)
}

function unreadable(what: string): EmbeddingsFault {
  return new EmbeddingsFault(`The embeddings server sent vectors that cannot be used: ${what}.`, false)
}

/** A reply that a timeout or a lost connection cut off may be retried; one that is no JSON may not. */
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
