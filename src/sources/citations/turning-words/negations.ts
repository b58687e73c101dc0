import { medial } from '../../text/fold.ts'

/** The side of a quotation on which a word stands. */
export type Side = 'before' | 'after'

const hebrewNegations = wordSet(
  'לא לאו אין אי בל אינו אינה אינמ אינן אינמו איני אינני אינכ איננו איננה איננמ בלי בלתי בלא ללא לבלתי לית ליתא ליכא לאיו מבלי מבלתי אלמלא לולא ניט נישט',
)
const hebrewConditions = wordSet('אמ אילו')
const englishNegations = wordSet(
  "not no never nor neither none nothing nobody nowhere without cannot can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't mustn't hardly scarcely refuse refuses refused refusing",
)
const englishConditions = wordSet('if unless')

/** Prefixes that a Hebrew negation may have. After a quotation, the prefix `ו` starts another clause. */
const prefixes = { before: /^(?:ו[שד]|[ושד])/, after: /^[שד]/ }

/** Words that look like a negation with a prefix but are none. */
const ambiguous = wordSet('דאי ואי שאי ודאי שבל דבל')

/** `אל` forbids before a verb of the second or third person. Elsewhere it means "to", or is a name of God. */
const prohibition = /^[ושד]?אל$/
const future = /^[תי][א-ת]{2,}$/
const nouns = wordSet(
  'תורה תורת תורתו תוך תוכו תפילה תפלה תשובה תכלית תחת תלמיד תלמידיו ישראל יעקב יצחק יוסף יהודה ירושלים ישיבה ישיבת ידי ידו ידיו ימי ימין יסוד יצר יראה יראת יראי יחיד יחידו יום יין ילד יער ישועה יתרו יתום',
)

/**
 * Whether a word beside a quotation can turn its meaning round: a negation or a condition.
 * @param word folded, without apostrophes.
 * @param next the word after it.
 */
export function turnsMeaning(word: string, side: Side, next = ''): boolean {
  return isNegation(word, side, next) || isConditional(word, side)
}

/** Whether a word, folded, is a negation. */
export function isNegation(word: string, side: Side, next = ''): boolean {
  if (prohibition.test(word)) return side === 'before' && future.test(next) && !nouns.has(next)
  return isOneOf(word, side, hebrewNegations, englishNegations)
}

/** Whether a word, folded, begins a condition. */
export function isConditional(word: string, side: Side): boolean {
  return isOneOf(word, side, hebrewConditions, englishConditions)
}

function isOneOf(
  word: string,
  side: Side,
  hebrew: ReadonlySet<string>,
  english: ReadonlySet<string>,
): boolean {
  if (english.has(word) || hebrew.has(word)) return true
  const bare = word.replace(prefixes[side], '')
  return bare.length >= 2 && bare !== word && hebrew.has(bare) && !ambiguous.has(word)
}

/** The words of a list, folded and without apostrophes. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(medial(words.replaceAll("'", '')).split(' '))
}
