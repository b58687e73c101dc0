import type { Vector } from '../embeddings/embedding-model.ts'
import type { DocumentRanges } from '../index/document-ranges.ts'

/** Finds the texts whose vectors are nearest: in the memory of this process (`vector-memory.ts`) or by pgvector. */
export type VectorIndex = {
  /**
   * The documents nearest to a vector by cosine, nearest first; of equal ones the lower number first. A document may
   * have been removed meanwhile.
   * @param ranges confines the search; undefined: all documents.
   * @throws when there is no answer within `timeoutMs`.
   */
  nearest(
    vector: Vector,
    bounds: {
      readonly ranges: DocumentRanges | undefined
      readonly limit: number
      readonly timeoutMs: number
    },
  ): Promise<readonly number[]>
  close(): Promise<void>
}
