import type { Executor } from '../../../db/client.ts'
import { batchSize, type EmbeddingsClient } from './embeddings-client.ts'
import { countTexts, saveVectors, textsWithout } from './semantic-vectors.ts'

export type Embedded = {
  /** Number of vectors made by this call. */
  readonly embedded: number
  /** Number of texts in the library. */
  readonly total: number
}

/**
 * Makes the missing vectors of the library in batches. Vectors made before an interruption are kept. Texts imported
 * in the meantime are included. It calls the model between statements, so the executor is a pool and not a
 * transaction.
 * @throws EmbeddingsFault when the server fails permanently.
 */
export async function embedLibrary(
  executor: Executor,
  embeddings: EmbeddingsClient,
  onProgress: (done: number, of: number) => void,
): Promise<Embedded> {
  const { total, missing } = await countTexts(executor, embeddings.model)
  let embedded = 0
  let last = -1
  for (;;) {
    const texts = await textsWithout(executor, embeddings.model, last, batchSize)
    const end = texts.at(-1)
    if (!end) return { embedded, total: Math.max(total, embedded) }
    const vectors = await embeddings.embed(texts.map(({ text }) => text))
    const pairs = texts.flatMap(({ docId }, i) => {
      const vector = vectors[i]
      return vector ? [[docId, vector] as const] : []
    })
    await saveVectors(executor, embeddings.model, new Map(pairs))
    embedded += pairs.length
    last = end.docId
    onProgress(embedded, Math.max(missing, embedded))
  }
}
