import type { TextWords } from '../../index/text-words.ts'

export type VersionText = {
  readonly language: string
  readonly title: string
  readonly license: string
  /** Of the whole version, or a template in which `{ref}` stands for the ref of a passage. */
  readonly sourceUrl: string
  readonly machineMade: boolean
  /** The text at each ref that has one; every ref is among the places. */
  readonly texts: ReadonlyMap<string, string>
  /** Addresses of single texts, which come before `sourceUrl`, by ref. */
  readonly urls?: ReadonlyMap<string, string>
  /** Footnotes by ref. */
  readonly notes?: ReadonlyMap<string, readonly string[]>
  /** The words of the texts, in their order, when they have been read already. */
  readonly words?: TextWords
}
