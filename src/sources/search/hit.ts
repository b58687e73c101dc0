import type { Passage } from '../library/types.ts'
import type { HitExplanation } from './explain.ts'
import type { Coverage } from './relevance/coverage.ts'
import type { Expansion } from './relevance/expansions.ts'

/** A hit: a passage that a search returns. */
export type SearchHit = Passage & {
  /** The part of `text` around the best match, at most 240 characters. */
  readonly snippet: string
  /** How much of the query the passage contains. */
  readonly coverage: Coverage
  /** Words of the passage that match a word of the query by another name, language or synonym. */
  readonly matched: readonly Expansion[]
  /** Only comparable with scores of the same search. */
  readonly score: number
  /** Why it has its rank; only if the search asked for it. */
  readonly explanation?: HitExplanation
}
