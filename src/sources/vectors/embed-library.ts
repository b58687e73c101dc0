import { type Database, withTx } from '../../db/client.ts'
import { requireWritable } from '../../db/library/library-database.ts'
import { batchSize, type EmbeddingModel, type Vector } from '../embeddings/embedding-model.ts'
import { countTexts, saveVectors, textsWithout } from './vector-rows.ts'

export type Embedded = {
  /** Vectors made by this call. */
  readonly embedded: number
  /** Texts of the library. */
  readonly total: number
}

/**
 * Makes the vectors that the library lacks, batch by batch: an interrupted call keeps what it made, and the next one
 * continues. Texts that are imported meanwhile are included.
 * @param onProgress called after each batch, with vectors made and wanted.
 * @param signal ends the call after the batch under way.
 * @throws EmbeddingsFault when the model fails for good.
 */
export async function embedLibrary(
  database: Database,
  model: EmbeddingModel,
  onProgress: (done: number, of: number) => void,
  signal?: AbortSignal,
): Promise<Embedded> {
  await requireWritable(database.system)
  const { total, missing } = await countTexts(database.system, model.name)
  let embedded = 0
  let last = -1
  while (!signal?.aborted) {
    const texts = await textsWithout(database.system, model.name, last, batchSize)
    const end = texts.at(-1)
    if (!end) break
    const vectors = await model.embed(
      texts.map(({ text }) => text),
      'passage',
    )
    const byDocument = new Map(texts.map(({ docId }, i) => [docId, vectors[i] as Vector]))
    await withTx(database, 'system', (tx) => saveVectors(tx, model.name, byDocument))
    embedded += texts.length
    last = end.docId
    onProgress(embedded, Math.max(missing, embedded))
  }
  return { embedded, total: Math.max(total, embedded) }
}
