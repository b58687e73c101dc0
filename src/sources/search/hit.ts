import type { Passage } from '../library/types.ts'
import type { Coverage } from './relevance/coverage.ts'
import type { Expansion } from './relevance/matched.ts'

/** A passage that a search has found. */
export type SearchHit = Passage & {
  /** The part of `text` around the best match, at most 240 characters. */
  readonly snippet: string
  /** How much of what the query asks for the passage has. */
  readonly coverage: Coverage
  /** Other words for words of the query that the passage has, in either language. */
  readonly matched: readonly Expansion[]
  /** Comparable within one search only. */
  readonly score: number
}
