import type { Executor } from '../../../db/client.ts'
import { type FoundQuote, findQuote } from '../../../sources/citations/comparison/find-quote.ts'
import { passagesAt } from '../../../sources/library/passages.ts'
import type { Passage } from '../../../sources/library/types.ts'
import type { Language } from '../../texts/catalogue.ts'

/** A quotation, checked against its passage as in an answer. */
export type Example = {
  readonly passage: Passage
  readonly quote: string
  /** Where the passage has the words. */
  readonly found: FoundQuote
}

/** A passage of the starter library, about the question of the example. */
const exampleRef = 'Concepts of Chassidut, Beinoni 1'

/**
 * Quotes the second sentence of the passage in a language, and checks the quotation.
 * @returns undefined if the library does not have the passage, or the check fails.
 */
export async function readExample(executor: Executor, language: Language): Promise<Example | undefined> {
  const versions = (await passagesAt(executor, [exampleRef])).get(exampleRef) ?? []
  const passage = versions.find((version) => version.language === language) ?? versions[0]
  const quote = passage && sentencesOf(passage.text)[1]
  const found = quote && (await findQuote(quote, [passage.text]))
  return found ? { passage, quote, found } : undefined
}

function sentencesOf(text: string): readonly string[] {
  const segments = new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)
  return [...segments].map(({ segment }) => segment.trim())
}
