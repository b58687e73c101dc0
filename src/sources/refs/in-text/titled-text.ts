import type { Executor } from '../../../db/client.ts'
import { runInTimeSlices } from '../../text/time-slices.ts'
import type { AddressRun } from '../grammar/addresses.ts'
import { formatRef, parseRef } from '../grammar/refs.ts'
import { type TextWord, wordsIn } from '../grammar/text-words.ts'
import { type TitleInText, titlesIn } from './titles-in-text.ts'

/** Only this many characters of a text are read. */
const longestText = 200_000

/** The words of a text. In `text` spaces stand for URLs; `sites` are the places that the URLs name. */
export type TextInWords = {
  readonly text: string
  readonly words: readonly TextWord[]
  readonly sites: readonly Site[]
}

/** A text that is searched for titles at most once, with one statement, however many readers it has. */
export class TitledText {
  readonly text: string
  readonly #executor: Executor
  #words: Promise<TextInWords> | undefined
  #titles: Promise<readonly TitleInText[]> | undefined

  constructor(executor: Executor, whole: string) {
    this.#executor = executor
    this.text = whole.slice(0, longestText)
  }

  /** Returns the text itself if it is already one that is searched once. */
  static of(executor: Executor, text: string | TitledText): TitledText {
    return typeof text === 'string' ? new TitledText(executor, text) : text
  }

  words(): Promise<TextInWords> {
    this.#words ??= readWords(this.text)
    return this.#words
  }

  /** @throws database errors. A search that failed is not kept, so that a caller can try again. */
  async titles(): Promise<readonly TitleInText[]> {
    this.#titles ??= this.words().then(({ text, words }) => titlesIn(this.#executor, text, words))
    try {
      return await this.#titles
    } catch (error) {
      this.#titles = undefined
      throw error
    }
  }
}

async function readWords(whole: string): Promise<TextInWords> {
  const { sites, masked } = await runInTimeSlices(addressesIn(whole))
  return { sites, text: masked, words: await runInTimeSlices(wordsIn(masked)) }
}

/** Matches URLs, and percent-encoded refs, which do not occur in a sentence by chance. */
const address =
  /(?:https?:\/\/|(?<![\p{L}\d/])(?:www\.)?sefaria\.org|(?<![\p{L}\d/])\/library\/read\/)[^\s<>"“”\])]{1,500}|(?<![^\s(])[\p{L}\d_.,;:'-]{1,200}%[0-9a-f]{2}[^\s<>"“”\])]{0,300}/giu
const ofPlaces =
  /^(?:https?:\/\/)?(?:www\.|voices\.)?sefaria\.org(?:\.il)?\/[^/]+$|^(?:https?:\/\/[^/]+)?\/library\/read\/./i
/** Pages of Sefaria that show no text. */
const otherPages =
  /sefaria\.org(?:\.il)?\/(?:sheets|texts|search|topics|person|profile|settings|static|api|about|donate)\b/i

/** Finds URLs that name a place, and replaces all by spaces. It yields at points where the caller may pause it. */
export function* addressesIn(
  text: string,
): Generator<undefined, { readonly sites: readonly Site[]; readonly masked: string }> {
  const sites: Site[] = []
  let masked = ''
  for (const { 0: whole, index: start } of text.matchAll(address)) {
    masked += text.slice(masked.length, start) + ' '.repeat(whole.length)
    const written = whole.replace(/[.,;:!?'’*_]+$/, '')
    const isPlace = ofPlaces.test(written.replace(/[?#].*$/, '')) && !otherPages.test(written)
    const isEncoded = !/^(?:https?:|\/|www\.|sefaria)/i.test(written)
    if (isPlace || isEncoded) {
      const parsed = parseRef(written)
      const { heading, address: numbers } = parsed
      const candidate = {
        start,
        end: start + written.length,
        asked: written,
        title: heading,
        mustExist: isEncoded,
      }
      const isSure = numbers.length > 0 && isPlace
      // A URL with numbers names a place, whether the library knows the title or not.
      const unheld = isSure ? { ...candidate, asked: formatRef(parsed) } : undefined
      if (heading !== '') sites.push({ candidates: [candidate], isSure, unheld })
    }
    yield
  }
  return { sites, masked: masked + text.slice(masked.length) }
}

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
  /** Another ref that the library must have too. `Tanya 32, 33` are two places if it has both. */
  readonly beside?: string
}

/** A position where a text names a place, with its readings, most likely first. */
export type Site = {
  readonly candidates: readonly Candidate[]
  /** Whether the number certainly is one, so that the text names a place even if the library lacks it. */
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
