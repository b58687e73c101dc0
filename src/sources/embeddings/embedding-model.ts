/** One text as a model sees its meaning: a point in a space of some hundred dimensions. Not normalised. */
export type Vector = readonly number[] | Float32Array

/** Some models want to know what a text is for: a question, or a passage that may answer one. */
export type TextKind = 'query' | 'passage'

export type RetryPolicy = {
  /** Time limit of one request, in milliseconds. */
  readonly timeoutMs: number
  /** How often a retryable request is sent again. */
  readonly retries: number
}

/** Turns texts into vectors: an API (`api-model.ts`) or a model in a thread of this process (`local-model.ts`). */
/** What a client sends: texts, or the numbers of their tokens in the vocabulary of the model. */
export type EmbeddingInput = readonly string[] | readonly (readonly number[])[]

/** `promptTokens`: undefined if the server does not count them. */
export type Encoded = { readonly vectors: readonly Vector[]; readonly promptTokens: number | undefined }

export type EmbeddingModel = {
  /** As `EMBEDDINGS_MODEL` has it. Vectors of different names are never compared. */
  readonly name: string
  /**
   * The vectors of texts, in their order and all of one length.
   * @throws EmbeddingsFault
   */
  embed(texts: readonly string[], kind: TextKind, policy?: RetryPolicy): Promise<readonly Vector[]>
  /**
   * The vectors of a client's input, in its order. An API gets the input unchanged. A local model reads texts only, and
   * has vectors of one length.
   * @param dimensions undefined: the model's own.
   * @throws EmbeddingsFault
   */
  encode(input: EmbeddingInput, dimensions: number | undefined, policy: RetryPolicy): Promise<Encoded>
  close(): Promise<void>
}

/** Why there are no vectors. The message holds statuses and codes only: a server's own words may repeat the API key. */
export class EmbeddingsFault extends Error {
  override readonly name = 'EmbeddingsFault'
  /** The same request may succeed later. */
  readonly retryable: boolean
  /** How long the server asked us to wait, in milliseconds. */
  readonly waitMs: number
  /** Whether the input is at fault. */
  readonly ofInput: boolean

  constructor(message: string, retryable: boolean, waitMs = 0, ofInput = false) {
    super(message)
    this.retryable = retryable
    this.waitMs = waitMs
    this.ofInput = ofInput
  }
}

/** Texts per request: servers limit them, and a failed request repeats little work. */
export const batchSize = 64

/** Characters of a text that a model reads; servers refuse what is longer than their window. */
const maxTextChars = 4_000

/** Removes points and cantillation, which cost many tokens and carry little meaning. Some servers refuse an empty text. */
export function modelText(text: string): string {
  const bare = text.replace(/[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g, '')
  return bare.slice(0, maxTextChars).toWellFormed().trim() || '-'
}
