import { estimateTokens } from '../agent/tokens.ts'
import { ServiceError } from '../errors.ts'
import {
  type EmbeddingInput,
  type EmbeddingModel,
  EmbeddingsFault,
  type Encoded,
} from '../sources/embeddings/embedding-model.ts'

export type { EmbeddingInput } from '../sources/embeddings/embedding-model.ts'

/** The embedding model that clients can use. */
export type EmbeddingOffer = {
  /** As `GET /v1/models` shows it. */
  readonly id: string
  readonly model: EmbeddingModel
  readonly microsPerToken: bigint
}

export function offerOf(model: EmbeddingModel, microsPerToken: bigint): EmbeddingOffer {
  return { id: model.name, model, microsPerToken }
}

/** A client waits for the vectors, so a failing server is asked only once more. */
const policy = { timeoutMs: 60_000, retries: 1 }

/**
 * The vectors of a client's input, and the tokens to charge. A count above the number of the input's bytes is
 * impossible; the estimate then counts.
 * @throws ServiceError `invalid_value` if the model refuses the input, otherwise `upstream_error`.
 */
export async function embed(
  { model }: EmbeddingOffer,
  input: EmbeddingInput,
  dimensions: number | undefined,
): Promise<Encoded & { readonly promptTokens: number }> {
  const { vectors, promptTokens } = await model.encode(input, dimensions, policy).catch(refuse)
  if (dimensions !== undefined && vectors.some((vector) => vector.length !== dimensions)) {
    throw new ServiceError(
      'invalid_value',
      `The model gives vectors of ${vectors[0]?.length} dimensions only. Leave out \`dimensions\`.`,
      { param: 'dimensions' },
    )
  }
  const isPlausible = promptTokens !== undefined && promptTokens > 0 && promptTokens <= maxTokensOf(input)
  return { vectors, promptTokens: isPlausible ? promptTokens : tokensOf(input) }
}

/** Estimated tokens of an input. */
export function tokensOf(input: EmbeddingInput): number {
  return sumOf(input, estimateTokens)
}

/** Tokens that a model may put around each text. */
const aroundText = 16

function maxTokensOf(input: EmbeddingInput): number {
  return sumOf(input, (text) => Buffer.byteLength(text)) + aroundText * input.length
}

function sumOf(input: EmbeddingInput, ofText: (text: string) => number): number {
  let sum = 0
  for (const one of input) sum += typeof one === 'string' ? ofText(one) : one.length
  return sum
}

function refuse(error: unknown): never {
  if (!(error instanceof EmbeddingsFault)) throw error
  if (error.ofInput) {
    throw new ServiceError(
      'invalid_value',
      `${error.message} Check \`input\` and \`dimensions\`, or send shorter texts.`,
      { param: 'input', cause: error },
    )
  }
  throw new ServiceError('upstream_error', `${error.message} Nothing was charged. Try again later.`, {
    cause: error,
  })
}
