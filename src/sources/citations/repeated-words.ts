import { type PreparedText, prepareText } from './quotations/prepare.ts'
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

/**
 * Marks quotations that repeat a result of a tool which is not ours as `from_tool`. The result is looked at before what
 * the library said, except for a quotation that the text attributes to a ref: the attribution is a claim about the
 * library, so such a quotation is marked only if the library has it nowhere.
 * @param results results of tools as the model got them. The texts of one that is JSON are its strings.
 */
export function withToolTexts(
  quotations: readonly VerifiedQuote[],
  results: readonly string[],
): readonly VerifiedQuote[] {
  if (results.length === 0 || !quotations.some(mayBeOfTool)) return quotations
  const texts = results.flatMap((result) => stringsIn(result)).map(prepareText)
  return quotations.map((check) => {
    const { quote = '', ref, position } = check
    if (!mayBeOfTool(check) || !texts.some((text) => repeats(text, quote))) return check
    return {
      quote,
      result: 'from_tool',
      ...(ref !== undefined && { ref }),
      ...(position !== undefined && { position }),
    }
  })
}

function mayBeOfTool({ result, ref }: VerifiedQuote): boolean {
  return ref === undefined || result === 'not_found'
}

/** Whether a text has a quotation word for word; of one with ellipses, each part. */
function repeats({ padded }: PreparedText, quote: string): boolean {
  const parts = quote.split(/…|\.{3}/u).map((part) => prepareText(part).padded)
  const words = parts.filter((part) => part.trim() !== '')
  return words.length > 0 && words.every((part) => hasWords(padded, part))
}

/** The strings of a text that is JSON, also of JSON within them; any other text itself. */
function stringsIn(text: string): readonly string[] {
  const value = /^\s*[[{]/.test(text) ? parsed(text) : undefined
  return value === undefined ? [text] : leaves(value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return stringsIn(value)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : []
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
