import { medial } from '../../text/fold.ts'
import type { Span } from '../quotations/prepare.ts'

/** A negation or a condition directly beside the quoted words, which the quotation leaves out. */
export type ContextWarning = {
  readonly words: string
  readonly where: 'before' | 'after'
  readonly kind: 'negation' | 'condition'
}

type Side = ContextWarning['where']

const negations = wordSet(
  "not no never nor neither none nothing nobody nowhere without cannot can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't mustn't hardly scarcely refuse refuses refused refusing " +
    'לא לאו אין אי בל אינו אינה אינמ אינן אינמו איני אינני אינכ איננו איננה איננמ בלי בלתי בלא ללא לבלתי לית ליתא ליכא לאיו מבלי מבלתי אלמלא לולא ניט נישט',
)
/** They deny only the verb behind them: `it is forbidden to despair`. */
const prohibitions = wordSet('forbidden forbids forbid stop stopped ceased אסור אסורה אסורים נאסר')
const conditions = wordSet('if unless אמ אילו')
/** Words that may stand between a negation and the quoted words. */
const between = wordSet('a an the be been to any have do in of לו לה לי לכ לנו להמ לאדמ')

/** Prefixes that a Hebrew negation may have. After a quotation, the prefix `ו` starts another clause. */
const prefixes = { before: /^(?:ו[שד]|[ושד])(?=..)/, after: /^[שד](?=..)/ }
/** Words that look like a negation with a prefix but are none. */
const ambiguous = wordSet('דאי ואי שאי ודאי שבל דבל')
/** `אל` forbids before a verb of the second or third person. Elsewhere it means "to", or is a name of God. */
const prohibition = /^[ושד]?אל$/
const future =
  /^(?!תור|תפי?ל|תשוב|תכלי|תחת|תלמיד|ישראל|יעקב|יצחק|יוסף|יהוד|ירושל|ישיב|ימינ|יסוד|יצר|יראת|יחיד)[תי][א-ת]{2,}$/
/** The beginning of an infinitive or gerund. */
const verbBehind = /^(?:to|[a-z]{2,}ing|מ?ל[א-ת]{3,})$/

const sentenceEnd = /[.:;?!׃]/
const farthest = 3
const longestLook = 60

/**
 * Finds a negation or a condition that stands directly before or after the quoted words in their text.
 * @param pieces where the parts of the quotation stand in `text`, in order.
 */
export function contextWarning(text: string, pieces: readonly Span[]): ContextWarning | undefined {
  const [first, last] = [pieces[0], pieces.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const quoted = wordsIn(text.slice(first.start, first.start + longestLook), first.start)[0]
  const from = Math.max(0, first.start - longestLook)
  const before = wordsIn(text.slice(from, first.start), from).toReversed()
  const gaps = before.findIndex(({ letters }) => !between.has(letters))
  for (const [i, word] of before.slice(0, Math.min(farthest, gaps + 1)).entries()) {
    const joint = text.slice(word.end, first.start)
    if (sentenceEnd.test(joint)) break
    const kind = kindOf(word, 'before', before[i - 1] ?? quoted, quoted, joint)
    if (kind) return { words: text.slice(word.start, first.start).trim(), where: 'before', kind }
  }
  const after = wordsIn(text.slice(last.end, last.end + longestLook), last.end)[0]
  if (after === undefined || sentenceEnd.test(text.slice(last.end, after.start))) return undefined
  const kind = kindOf(after, 'after', undefined, undefined, text.slice(last.end, after.start))
  return kind && { words: text.slice(last.end, after.end).trim(), where: 'after', kind }
}

/** @param joint what stands between the word and the quoted words. A comma ends the reach of a negation. */
function kindOf(
  { letters }: Word,
  side: Side,
  next: Word | undefined,
  quoted: Word | undefined,
  joint: string,
): ContextWarning['kind'] | undefined {
  if (isOneOf(letters, side, conditions)) return 'condition'
  if (joint.includes(',')) return undefined
  if (prohibition.test(letters))
    return side === 'before' && future.test(next?.letters ?? '') ? 'negation' : undefined
  if (isOneOf(letters, side, negations)) return 'negation'
  const governs = [next, quoted].some((one) => one !== undefined && verbBehind.test(one.letters))
  return side === 'before' && governs && isOneOf(letters, side, prohibitions) ? 'negation' : undefined
}

function isOneOf(word: string, side: Side, list: ReadonlySet<string>): boolean {
  return list.has(word) || (list.has(word.replace(prefixes[side], '')) && !ambiguous.has(word))
}

/** A word of a passage: its letters folded, without apostrophes and gershayim. */
type Word = { readonly letters: string } & Span

/** The words of a text. Their ranges count from `offset`. */
function wordsIn(text: string, offset: number): readonly Word[] {
  return [...text.matchAll(/[\p{L}\p{M}][\p{L}\p{M}'’׳"״]*/gu)].map(({ 0: written, index }) => ({
    letters: folded(written),
    start: offset + index,
    end: offset + index + written.length,
  }))
}

function folded(written: string): string {
  return medial(
    written
      .normalize('NFKD')
      .replace(/[\p{M}'’]/gu, '')
      .toLowerCase(),
  )
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').map(folded))
}
