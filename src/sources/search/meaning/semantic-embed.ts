import type { Executor } from '../../../db/client.ts'
import { batchSize, type EmbeddingsClient } from './embeddings-client.ts'
import { countTexts, saveVectors, textsWithout } from './semantic-vectors.ts'

export type Embedded = {
  /** Vectors made by this call. */
  readonly embedded: number
  /** Texts of the library. */
  readonly total: number
}

/**
 * Makes the vectors that the library lacks, batch by batch: what was made before an interruption is kept and not
 * asked for again. Texts that were imported meanwhile are included. Asks a model between its statements, so the
 * executor is a pool.
 * @throws EmbeddingsFault when the server fails for good.
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
