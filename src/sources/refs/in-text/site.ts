import type { AddressRun } from '../text-numbers/addresses.ts'
import type { TextWord } from '../text-numbers/text-words.ts'
import type { TitleInText } from './titles-in-text.ts'

/** One reading of a ref in a text. */
export type Candidate = {
  /** UTF-16, `end` exclusive. */
  readonly start: number
  readonly end: number
  /** The full ref that is looked up. */
  readonly asked: string
  readonly title: string
  /** Whether the reading counts only if the library has the place; set for less likely readings. */
  readonly mustExist: boolean
}

/** A position where a text names a place, with its readings, most likely first. */
export type Site = {
  readonly candidates: readonly Candidate[]
  /**
   * Whether the number certainly is one. If the library has no such place, the text then names one that does not
   * exist.
   */
  readonly isSure: boolean
  /** The reading under a title of the vocabulary. If the library knows nothing of it, it does not hold the work. */
  readonly unheld?: Candidate | undefined
  /** Whether it names a whole portion. One with many passages is too large to locate a quotation in. */
  readonly isPortion?: boolean
}

/** A text with its words and titles. */
export type ReadText = {
  readonly text: string
  readonly words: readonly TextWord[]
  readonly titles: readonly TitleInText[]
}

/** A site with the range of its words. */
export type Placed = {
  readonly site: Site
  readonly from: number
  readonly to: number
  /** Its number, if that may be a short ref, which the title only precedes. */
  readonly short?: AddressRun
}
