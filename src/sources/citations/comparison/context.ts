import { medial } from '../../text/fold.ts'
import type { Span } from '../quotations/prepare.ts'

/** A negation or condition that the quotation leaves out and that may reverse its meaning. */
export type ContextWarning = {
  readonly words: string
  readonly where: 'before' | 'after' | 'ellipsis'
}

const hebrewNegations = wordSet(
  'לא לאו אין אי בל אינו אינה אינמ אינן אינמו איני אינני אינכ איננו איננה איננמ בלי בלתי בלא ללא לבלתי לית ליכא לאיו מבלי מבלתי אלמלא לולא',
)
const hebrewConditions = wordSet('אמ אילו')
const englishNegations = wordSet(
  "not no never nor neither without cannot can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't mustn't hardly scarcely",
)
const englishConditions = wordSet('if unless')
/** English words that may stand between a negation and the words that it negates. */
const between = wordSet('a an the be been to any have do in of')

/** Prefixes that a Hebrew negation may have. After a quotation, the prefix `ו` starts another clause. */
const prefixes = { before: /^(?:ו[שד]|[ושד])/, after: /^[שד]/ }

type Side = 'before' | 'after'
type Word = { readonly letters: string } & Span

const sentenceEnd = /[.:;?!׃]/
const longestLook = 60
/**
 * Maximum number of omitted words that are all read. Of a longer omission only the words at its edges affect the
 * quotation.
 */
const shortGap = 8
const atEdge = 3
const longestGap = 2_000

/**
 * Finds a negation or a condition that stands directly before or after the quoted words in their text, or at the
 * place of an ellipsis.
 * @param pieces where the parts of the quotation stand in `text`, in order.
 */
export function contextWarning(text: string, pieces: readonly Span[]): ContextWarning | undefined {
  const [first] = pieces
  const last = pieces.at(-1)
  if (first === undefined || last === undefined) return undefined
  return (
    hiddenBetween(text, pieces) ??
    beside('before', text, wordsBefore(text, first.start), first) ??
    beside('after', text, wordsAfter(text, last.end), last)
  )
}

function hiddenBetween(text: string, pieces: readonly Span[]): ContextWarning | undefined {
  for (const [i, piece] of pieces.entries()) {
    const next = pieces[i + 1]
    if (next === undefined || next.start - piece.end > longestGap) continue
    const gap = text.slice(piece.end, next.start)
    const words = wordsIn(gap, 0)
    const near = words.length <= shortGap ? words : [...words.slice(0, atEdge), ...words.slice(-atEdge)]
    if (near.some((word) => turns(word.letters, 'before'))) {
      return { words: gap.trim().slice(0, 300), where: 'ellipsis' }
    }
  }
  return undefined
}

function beside(side: Side, text: string, words: readonly Word[], quoted: Span): ContextWarning | undefined {
  const [nearest, second] = words
  const skipped = side === 'before' && nearest && second && between.has(nearest.letters) ? second : undefined
  for (const word of [nearest, skipped]) {
    if (word === undefined) continue
    const range =
      side === 'before' ? { start: word.start, end: quoted.start } : { start: quoted.end, end: word.end }
    const joint = side === 'before' ? text.slice(word.end, quoted.start) : text.slice(quoted.end, word.start)
    if (sentenceEnd.test(joint)) return undefined
    const isCondition = conditional(word.letters, side)
    if (isCondition || (turns(word.letters, side) && !joint.includes(','))) {
      return { words: text.slice(range.start, range.end).trim(), where: side }
    }
  }
  return undefined
}

function turns(letters: string, side: Side): boolean {
  return isOneOf(letters, side, hebrewNegations, englishNegations) || conditional(letters, side)
}

function conditional(letters: string, side: Side): boolean {
  return isOneOf(letters, side, hebrewConditions, englishConditions)
}

function isOneOf(
  letters: string,
  side: Side,
  hebrew: ReadonlySet<string>,
  english: ReadonlySet<string>,
): boolean {
  if (english.has(letters) || hebrew.has(letters)) return true
  const bare = letters.replace(prefixes[side], '')
  return bare.length >= 2 && bare !== letters && hebrew.has(bare) && !ambiguous.has(letters)
}

/** Words that look like a negation with a prefix but are none. */
const ambiguous = wordSet('דאי ואי שאי ודאי שבל דבל')

function wordsBefore(text: string, at: number): readonly Word[] {
  const from = Math.max(0, at - longestLook)
  return wordsIn(text.slice(from, at), from).toReversed()
}

function wordsAfter(text: string, at: number): readonly Word[] {
  return wordsIn(text.slice(at, at + longestLook), at)
}

function wordsIn(text: string, offset: number): readonly Word[] {
  return [...text.matchAll(/[\p{L}\p{M}][\p{L}\p{M}'’׳"״]*/gu)].map(({ 0: written, index }) => ({
    letters: medial(
      written
        .normalize('NFKD')
        .replace(/[\p{M}]/gu, '')
        .replaceAll('’', "'")
        .toLowerCase(),
    ),
    start: offset + index,
    end: offset + index + written.length,
  }))
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(medial(words).split(' '))
}
