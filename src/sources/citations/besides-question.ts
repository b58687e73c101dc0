import { prepareText } from './quotations/prepare.ts'
import type { VerifiedQuote } from './verify.ts'

/** Only this many characters of the question are compared. */
const longestQuestion = 20_000

/**
 * Removes quotations that repeat the user's question: verbatim in the question, attributed to no ref, and not in the
 * library. A quotation that the answer attributes to a ref stays, because the attribution is a claim. In the question
 * a Hebrew prefix may be written together with the first word: `בספר`.
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
    return hasWords(asked, prepareText(quote).padded)
  }
  return quotations.filter((quotation) => !repeats(quotation))
}

const prefixEnd = / [ושהבכלמ]{1,3}$/u

/** Whether a padded text has the words of another, also with a Hebrew prefix before the first. */
function hasWords(text: string, padded: string): boolean {
  if (text.includes(padded)) return true
  const words = padded.slice(1)
  if (!/^[א-ת]/u.test(words)) return false
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    if (prefixEnd.test(text.slice(Math.max(0, at - 4), at))) return true
  return false
}
