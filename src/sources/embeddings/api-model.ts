import { setTimeout as delay } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import { z } from 'zod'
import {
  batchSize,
  type EmbeddingInput,
  type EmbeddingModel,
  EmbeddingsFault,
  type Encoded,
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
  usage: z
    .object({ prompt_tokens: z.number().int().min(0) })
    .nullish()
    .catch(undefined),
})

/** What is sent in one request. */
type Batch = { readonly input: EmbeddingInput; readonly dimensions?: number | undefined }

/** A model behind OpenAI's `POST /embeddings`. It keeps connections: close it. */
export function openApiModel(settings: ApiModelSettings): EmbeddingModel {
  const dispatcher = new Agent({ maxResponseSize: maxReplyBytes })
  async function inBatches({ input, dimensions }: Batch, policy: RetryPolicy): Promise<Encoded> {
    const vectors: Vector[] = []
    let promptTokens: number | undefined = 0
    for (let from = 0; from < input.length; from += batchSize) {
      const batch = { input: input.slice(from, from + batchSize) as EmbeddingInput, dimensions }
      const one = await embedWithRetries(settings, dispatcher, batch, policy)
      vectors.push(...one.vectors)
      promptTokens =
        promptTokens === undefined || one.promptTokens === undefined
          ? undefined
          : promptTokens + one.promptTokens
    }
    if (vectors.some((vector) => vector.length !== vectors[0]?.length)) throw unreadable('of several lengths')
    return { vectors, promptTokens }
  }
  return {
    name: settings.model,
    embed: async (texts, _kind, policy = defaultPolicy) =>
      (await inBatches({ input: texts.map(modelText) }, policy)).vectors,
    encode: (input, dimensions, policy) => inBatches({ input, dimensions }, policy),
    close: () => dispatcher.close(),
  }
}

async function embedWithRetries(
  settings: ApiModelSettings,
  dispatcher: Dispatcher,
  batch: Batch,
  { timeoutMs, retries }: RetryPolicy,
): Promise<Encoded> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await embedOnce(settings, dispatcher, batch, timeoutMs)
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
  { input, dimensions }: Batch,
  timeoutMs: number,
): Promise<Encoded> {
  const { statusCode, headers, body } = await request(`${baseUrl}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    // Without `dimensions` unless a client asks for them: many servers refuse the field.
    body: JSON.stringify({ model, input, dimensions }),
    dispatcher,
    // Bounds the whole exchange, a slow body included.
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (statusCode !== 200) {
    await body.dump()
    throw refusal(statusCode, Number(headers['retry-after']))
  }
  const { success, data } = reply.safeParse(await body.json().catch(refuseSyntax))
  if (!success || data.data.length !== input.length) throw unreadable('not one for each text')
  const vectors = data.data
    .map(({ index, embedding }, place) => ({ index: index ?? place, embedding }))
    .sort((a, b) => a.index - b.index)
    .map(({ embedding }) => embedding)
  return { vectors, promptTokens: data.usage?.prompt_tokens }
}

function refusal(status: number, retryAfterSeconds: number): EmbeddingsFault {
  const retryable = status >= 500 || status === 408 || status === 409 || status === 429
  const waitMs = retryAfterSeconds > 0 ? retryAfterSeconds * 1_000 : 0
  const ofInput = status === 400 || status === 413 || status === 422
  const message = `The embeddings server answered with status ${status}.`
  return new EmbeddingsFault(message, retryable, waitMs, ofInput)
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
