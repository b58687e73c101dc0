import type { QuoteCheck } from './comparison/quote-check.ts'

/** Words in quotation marks, in their text. */
type Quoted = { readonly start: number; readonly end: number; readonly text: string; readonly words: number }

/** Maximum number of words in a title. */
export const longestTitle = 8
const longestLook = 80

/** Words by which a text says that the library lacks the title before them. */
const saysMissing =
  /^[^\p{L}\p{N}\s,.]{0,6},? (?:(?:itself|as such) )?(?:(?:is|are|was|were) not (?:here|held|found|known|in (?:this|the|our) library)|does not exist|(?:עצמו |עצמה )?(?:אינו|אינה|אינם|איננו|איננה|לא) (?:קיים|קיימת|נמצא|נמצאת|מצוי|מצויה|מוכר|מוכרת|בספרי?יה))/u

const mark = '[:,]?\\s?["“„«״\'‘*_]{1,3}$'
/** Words by which a text ascribes the quoted words to the reader, or to people in general. */
const asked = new RegExp(
  `(?:\\b(?:you|the user) (?:\\w+ )?(?:ask(?:s|ed)?|wr(?:ites?|ote)|sa(?:ys?|id)|mention(?:s|ed)?|phrased?|put it|wonder(?:s|ed)?|feel|felt)(?: (?:me|us|that|whether|here|above|earlier|today)){0,2}|\\byour (?:own )?(?:question|words|message|phrase)(?: (?:is|was|that|about|of)){0,2}|\\b(?:things|thoughts|sentences|phrases|questions|excuses|statements) (?:like|such as)|\\b(?:tell|telling|say to|saying to|ask|asking) (?:your|one|our|him|her|them|my)sel(?:f|ves)|(?:^|\\n)[\\s*_>#]*(?:Q|Question|User|שאלה)\\d{0,2}[*_]{0,2}[:.][*_]{0,2}|(?:^|[^א-ת])(?:ש?שאלת|שאלתם|ש?כתבת|כתבתם|(?:אתה|אתם|את) (?:שואל|שואלת|שואלים|כותב|כותבת|אומר|אומרת)|[בה]?שאלתך|השאלה שלך|[בכ]?דבריך|לומר לעצמ(?:ו|ך|נו|ה|ם))(?: (?:כאן|למעלה|קודם|אותי))?)${mark}`,
  'iu',
)
/** Between one of these and the next: `things like “…” or “…”`. */
const alsoAsked = /^["”»״'’*_]{0,3},? ?(?:or|and|או|ו)? ?["“„«״'‘*_]{1,3}$/iu

/** Words before a title. */
const beforeTitle = new RegExp(
  `(?:\\b(?:book|work|sefer|titled|entitled|named|called|song|niggun|story|tale|parable|article|essay|poem|discourse|maamar|series)|(?:^|[^א-ת])(?:[בהלמש]{0,2}(?:ספר|ספרו|חיבור|חיבורו|קונטרס|שיר|ניגון|סיפור|מאמר)))${mark}`,
  'iu',
)
/** Words that a title writes small. */
const small = /^(?:a|an|and|as|at|by|for|from|in|into|of|on|or|the|to|with|without|upon|its?|is)$/

/** Why words in quotation marks claim no source. */
export type Unsourced = 'said_missing' | 'of_the_reader' | 'title'

/**
 * Returns a function that says why words in quotation marks claim no source: titles, and words of the reader's own.
 * It counts only for words that the library does not have and that the text attributes to nothing. Call it for all
 * quotations in order.
 */
export function unsourcedWords(
  text: string,
): (quoted: Quoted, check: Pick<QuoteCheck, 'result'> & { readonly ref?: string }) => Unsourced | undefined {
  let end = Number.NEGATIVE_INFINITY
  return (quoted, { result, ref }) => {
    if (result !== 'verbatim' && isSaidMissing(text, quoted)) return 'said_missing'
    if (result !== 'not_found' || ref !== undefined) return undefined
    const before = text.slice(Math.max(0, quoted.start - longestLook), quoted.start)
    const follows = quoted.start - end < longestLook && alsoAsked.test(text.slice(end, quoted.start))
    if (asked.test(before) || follows) {
      end = quoted.end
      return 'of_the_reader'
    }
    return isTitle(before, quoted) ? 'title' : undefined
  }
}

/** Whether the words are a title that the text says the library lacks. */
function isSaidMissing(text: string, { end, words }: Quoted): boolean {
  return words <= longestTitle && saysMissing.test(text.slice(end, end + 60))
}

function isTitle(before: string, { text, words }: Quoted): boolean {
  if (words > longestTitle || /[.;!?…]/.test(text)) return false
  return beforeTitle.test(before) || isInTitleCase(text)
}

/** Whether all words but small ones begin with a capital: `The Ladder of Silence`. */
function isInTitleCase(written: string): boolean {
  const words = written.match(/[\p{L}\p{M}'’-]+/gu) ?? []
  const capitals = words.filter((word) => /^\p{Lu}/u.test(word))
  return capitals.length > 1 && words.every((word, i) => /^\p{Lu}/u.test(word) || (i > 0 && small.test(word)))
}
