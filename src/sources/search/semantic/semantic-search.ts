import type { Database } from '../../../db/client.ts'
import { reasonOf } from '../../../db/errors.ts'
import type { Logger } from '../../../log.ts'
import type { EmbeddingModel } from '../../embeddings/embedding-model.ts'
import type { DocumentRanges } from '../../index/document-ranges.ts'
import { hasPgvector, openPgvector } from '../../vectors/pgvector.ts'
import type { VectorIndex } from '../../vectors/vector-index.ts'
import { openVectorMemory } from '../../vectors/vector-memory.ts'

/** Documents that a search takes from the ranking by meaning. */
const nearestCount = 50

/** A search waits at most this long for the vector of its query, and as long for the comparison. */
const timeoutMs = 2_000

/** After a failure, searches use words alone for this long, so that not each waits for the same timeout. */
const pauseMs = 10_000

/** Finds passages by what they mean. A search works without it, so it never throws. */
export type SemanticSearch = {
  /**
   * Numbers of the documents nearest in meaning, nearest first; none after a failure, which it has logged. It asks a
   * model first: not for use inside a transaction.
   */
  nearest(text: string, ranges: DocumentRanges | undefined): Promise<readonly number[]>
}

export type OpenSemanticSearch = SemanticSearch & { close(): Promise<void> }

/** Semantic search with the vectors that `sources embed` has made; undefined without a model. `close` closes the model too. */
export function openSemanticSearch(
  database: Database,
  model: EmbeddingModel | undefined,
  log: Logger,
): OpenSemanticSearch | undefined {
  if (!model) return undefined
  return semanticSearch(model, openAtFirstSearch(database, model.name), log)
}

/** Chooses the index at the first search, so that a start does not wait for the library's database. */
function openAtFirstSearch(database: Database, modelName: string): VectorIndex {
  let index: VectorIndex | undefined
  const open = async () => {
    const usesPgvector = await hasPgvector(database.system, modelName)
    index ??= usesPgvector ? openPgvector(database) : openVectorMemory(database, modelName)
    return index
  }
  return {
    nearest: async (vector, bounds) => (index ?? (await open())).nearest(vector, bounds),
    close: async () => index?.close(),
  }
}

/** Asks for the vector of a query once, without a retry: the search has its words to go by. */
export function semanticSearch(model: EmbeddingModel, index: VectorIndex, log: Logger): OpenSemanticSearch {
  let pausedUntil = 0
  return {
    async nearest(text, ranges) {
      if (performance.now() < pausedUntil) return []
      try {
        const [vector] = await model.embed([text], 'query', { timeoutMs, retries: 0 })
        return vector ? await index.nearest(vector, { ranges, limit: nearestCount, timeoutMs }) : []
      } catch (error) {
        pausedUntil = performance.now() + pauseMs
        log.warn({ reason: reasonOf(error) }, 'searched by words only: the semantic search failed')
        return []
      }
    },
    async close() {
      await Promise.all([model.close(), index.close()])
    },
  }
}
