export type PassageRow = {
  readonly doc_id: number
  readonly ref: string
  readonly he_ref: string
  readonly section_ref: string
  readonly ordinal: number
  readonly work_id: number
  readonly work: string
  readonly author: string
  readonly language: string
  readonly version: string
  readonly license: string
  /** URL of this text; empty when it has the URL of its version. */
  readonly url: string
  readonly version_url: string
  readonly text: string
}
