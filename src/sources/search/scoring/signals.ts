/**
 * What the ranking knows of a hit. The numbers are in units of `fit` (see `fuse`): their sum is the fit of the passage by its
 * words. A signal that does not apply is absent.
 */
export type Signals = {
  /** BM25 over the words, names and translations of the query. */
  readonly bm25: number
  /** Words of the query close together or in its order. */
  readonly order: number
  /** The query names the title of the passage. Negative if another title of its work is named instead. */
  readonly title: number
  /** Other passages of the section match. */
  readonly section: number
  /** The passage matches in its other language too. */
  readonly languages: number
  /** The query names the title of the passage completely, perhaps among other words. */
  readonly titled?: true
  /** Rank among the passages nearest in meaning, from 1. */
  readonly meaning?: number
  /** Its work or author is named as the source. */
  readonly source?: true
  /** An article of a reference work that the query does not name. */
  readonly reference?: true
  /** Two per quoted phrase that it has, and one for the whole query or a long run of it. */
  readonly phrase?: number
  /** One of several articles that the query names. */
  readonly entry?: true
  /** At a ref of the query, or citing that place. */
  readonly named?: true
}

/** The signals of a hit that words did not find. */
export const noSignals: Signals = { bm25: 0, order: 0, title: 0, section: 0, languages: 0 }
