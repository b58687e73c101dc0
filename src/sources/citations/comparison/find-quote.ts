import { TimeSlices } from '../../text/time-slices.ts'
import { type PreparedText, prepareText } from '../quotations/prepare.ts'
import { prepareQuote } from '../quotations/readings.ts'
import { locateWording, minSimilarity, nearestSpans, toLocation } from './locate.ts'

/** Step limit for one quotation on one page; far less than the limit for an answer. */
const maxSteps = 4_000_000

export type FoundQuote = {
  /** Index of the text that contains the quotation; the range is in UTF-16 units. */
  readonly text: number
  readonly start: number
  readonly end: number
}

/**
 * Finds a quotation: word for word in any of the texts, otherwise in close wording in the first text that has one.
 */
export async function findQuote(quote: string, texts: readonly string[]): Promise<FoundQuote | undefined> {
  const wanted = prepareQuote(quote)
  if (wanted.folded.trim() === '') return undefined
  const slices = new TimeSlices()
  const prepared: PreparedText[] = []
  for (const text of texts) {
    await slices.pause()
    prepared.push(prepareText(text))
  }
  for (const [text, passage] of prepared.entries()) {
    const [at] = locateWording(wanted, passage)
    if (at) return { text, start: at.start, end: at.end }
  }
  const budget = { left: maxSteps }
  for (const [text, passage] of prepared.entries()) {
    await slices.pause()
    const near = nearestSpans(wanted, passage, budget)
    if (near === undefined || near.similarity < minSimilarity) continue
    const { start, end } = toLocation('fuzzy', near.spans, passage, near.similarity)
    return { text, start, end }
  }
  return undefined
}
