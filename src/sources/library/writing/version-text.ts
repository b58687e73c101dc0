import type { IndexTerms } from '../../index/index-terms.ts'

export type VersionText = {
  readonly language: string
  readonly title: string
  readonly license: string
  /** URL of the whole version, or a template with `{ref}` for the ref of a passage. */
  readonly sourceUrl: string
  readonly machineMade: boolean
  /** The texts by ref. Every ref is among the places. */
  readonly texts: ReadonlyMap<string, string>
  /** URLs of single texts by ref. They take precedence over `sourceUrl`. */
  readonly urls?: ReadonlyMap<string, string>
  /** Footnotes by ref. */
  readonly notes?: ReadonlyMap<string, readonly string[]>
  /** The words of the texts, in the same order, if they are already tokenised. */
  readonly words?: IndexTerms
}
