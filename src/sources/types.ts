import type { Coverage } from './coverage.ts'
import type { Expansion } from './search/matched.ts'

/** A passage in one version, as search, reading and the agent's tools hand it out. */
export type Passage = {
  readonly ref: string
  readonly heRef: string
  /** Title of the work. */
  readonly work: string
  /** What to show as a heading: the ref without its numbers, such as `Tanya, Part I; Likkutei Amarim`. */
  readonly title: string
  readonly author: string
  readonly language: string
  readonly version: string
  readonly license: string
  readonly url: string
  readonly text: string
}

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
