import { prepareText } from '../quotations/prepare.ts'
import type { VerifiedQuote } from '../verify.ts'

/** Only this many characters of the question are compared. */
const longestQuestion = 20_000

/**
 * Removes quotations that repeat the user's question: verbatim in the question, attributed to no ref, and not in the
 * library. A quotation that the answer attributes to a ref stays, because the attribution is a claim.
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
