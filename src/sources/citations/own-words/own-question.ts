import { prepareText } from '../quotations/prepare.ts'
import type { VerifiedQuote } from '../verify.ts'

/** Of a longer question the rest is not compared. */
const longestQuestion = 20_000

/**
 * Leaves out quotations that only repeat the user's own words: attributed to no place, not in the library, and verbatim in
 * the question. One that the answer attributes to a place stays, whoever wrote it first: it claims that it stands there.
 * @param question the user's message of this turn.
 */
export function besidesQuestion(
  quotations: readonly VerifiedQuote[],
  question: string,
): readonly VerifiedQuote[] {
  if (question === '' || !quotations.some(({ result }) => result === 'not_found')) return quotations
  const asked = prepareText(question.slice(0, longestQuestion)).padded
  const repeats = ({ result, ref, quote = '' }: VerifiedQuote): boolean => {
    if (result !== 'not_found' || ref !== undefined || quote.trim() === '') return false
    return asked.includes(prepareText(quote).padded)
  }
  return quotations.filter((quotation) => !repeats(quotation))
}
