/** A passage in one version, as returned by search, reading and the agent's tools. */
export type Passage = {
  readonly ref: string
  readonly heRef: string
  /** Title of the work. */
  readonly work: string
  /** The heading to show: the ref without its numbers, such as `Tanya, Part I; Likkutei Amarim`. */
  readonly title: string
  readonly author: string
  readonly language: string
  readonly version: string
  readonly license: string
  readonly url: string
  readonly text: string
}
