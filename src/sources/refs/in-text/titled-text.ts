import type { Executor } from '../../../db/client.ts'
import { runInTimeSlices } from '../../text/time-slices.ts'
import { type TextWord, wordsIn } from '../text-numbers/text-words.ts'
import type { Site } from './site.ts'
import { type TitleInText, titlesIn } from './titles-in-text.ts'
import { addressesIn } from './web-addresses.ts'

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
