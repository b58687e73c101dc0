/** A work of a collection, as the publisher's index names it. */
export type CollectionWork = {
  readonly title: string
  readonly heTitle: string
  /** Titles that other exports use for the same work. */
  readonly formerTitles?: readonly string[]
}

/** A curated list of works that one command adds to the library. */
export type Collection = {
  readonly name: string
  readonly title: InBothLanguages
  readonly description: InBothLanguages
  /** In reading order. An import takes them in this order. */
  readonly works: readonly CollectionWork[]
  /** Categories of the index whose other works follow. */
  readonly categories?: readonly string[]
  /** Codes of the languages that the index had for these works, the main ones first. */
  readonly languages: readonly string[]
  /** Licences that were seen on these works. Each file states its own, which decides. */
  readonly licenses: readonly string[]
}

type InBothLanguages = { readonly en: string; readonly he: string }
