import { medial } from '../../text/fold.ts'
import { isConditional, type Side, turnsMeaning } from '../quotations/negations.ts'
import type { Span } from '../quotations/prepare.ts'

/** A negation or condition that the quotation leaves out and that may reverse its meaning. */
export type ContextWarning = {
  readonly words: string
  readonly where: 'before' | 'after' | 'ellipsis'
}

/** English words that may stand between a negation and the words that it negates. */
const between = new Set('a an the be been to any have do in of'.split(' '))

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
    if (near.some((word, at) => turnsMeaning(word.letters, 'before', near[at + 1]?.letters))) {
      return { words: gap.trim().slice(0, 300), where: 'ellipsis' }
    }
  }
  return undefined
}

function beside(side: Side, text: string, words: readonly Word[], quoted: Span): ContextWarning | undefined {
  const quotedFirst = wordsIn(text.slice(quoted.start, quoted.start + longestLook), 0)[0]
  for (const [word, next] of besideWords(side, words, quotedFirst)) {
    const range =
      side === 'before' ? { start: word.start, end: quoted.start } : { start: quoted.end, end: word.end }
    const joint = side === 'before' ? text.slice(word.end, quoted.start) : text.slice(quoted.end, word.start)
    if (sentenceEnd.test(joint)) return undefined
    const turns = turnsMeaning(word.letters, side, next?.letters) && !joint.includes(',')
    if (turns || isConditional(word.letters, side)) {
      return { words: text.slice(range.start, range.end).trim(), where: side }
    }
  }
  return undefined
}

/** The nearest word, and the one before it if only a word such as "the" stands between. Each with the next word. */
function besideWords(
  side: Side,
  [nearest, second]: readonly Word[],
  quotedFirst: Word | undefined,
): readonly (readonly [Word, next: Word | undefined])[] {
  if (!nearest) return []
  const isSkipped = side === 'before' && second && between.has(nearest.letters)
  return [[nearest, quotedFirst], ...(isSkipped ? [[second, nearest] as const] : [])]
}

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
        .replace(/['’]/g, '')
        .toLowerCase(),
    ),
    start: offset + index,
    end: offset + index + written.length,
  }))
}
