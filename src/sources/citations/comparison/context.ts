import type { Span } from '../quotations/prepare.ts'
import { isConditional, type Side, turnsMeaning, wordSet } from '../turning-words/negations.ts'
import { denies } from '../turning-words/reversals.ts'
import { beginsSpeech } from '../turning-words/speakers.ts'
import { alteringOmission, isPutTogether } from './omissions.ts'
import { type WrittenWord, wordsIn } from './written-words.ts'

/**
 * Words that the quotation leaves out and that may change its meaning: a negation, a condition, the words that let
 * somebody else speak, or so many words that the parts of the quotation are far apart.
 */
export type ContextWarning = {
  readonly words: string
  readonly where: 'before' | 'after' | 'ellipsis'
  readonly kind: 'negation' | 'condition' | 'speaker' | 'length'
}

/** Words that may stand between a negation and the words that it negates. */
const between = wordSet('a an the be been to any have do in of לו לה לי לכ לנו להמ לאדמ')
const farthest = 3

const sentenceEnd = /[.:;?!׃]/
const longestLook = 60
/**
 * Maximum number of omitted words that are all read. Of a longer omission only the words at its edges affect the
 * quotation.
 */
const shortGap = 8
const atEdge = 3
/** About a paragraph. A reader does not expect that one ellipsis stands for more. */
const longGap = 100
const longestShown = 300

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
    beside('after', text, wordsAfter(text, last.end), last) ??
    farApart(text, pieces)
  )
}

function hiddenBetween(text: string, pieces: readonly Span[]): ContextWarning | undefined {
  for (const [i, piece] of pieces.entries()) {
    const next = pieces[i + 1]
    if (next === undefined) return undefined
    const gap = text.slice(piece.end, next.start)
    const kind = alteringOmission(text, [piece, next])?.kind ?? kindOfGap(gap)
    if (kind) return { words: shown(gap), where: 'ellipsis', kind }
  }
  return undefined
}

function farApart(text: string, pieces: readonly Span[]): ContextWarning | undefined {
  const [first, second] = pieces
  if (first === undefined || second === undefined || !isPutTogether(text, pieces)) return undefined
  return { words: shown(text.slice(first.end, second.start)), where: 'ellipsis', kind: 'length' }
}

function kindOfGap(gap: string): ContextWarning['kind'] | undefined {
  const words = wordsIn(gap, 0)
  const near = words.length <= shortGap ? words : [...words.slice(0, atEdge), ...words.slice(-atEdge)]
  const turning = near.find(
    (word, at) =>
      turnsMeaning(word.letters, 'before', near[at + 1]?.letters) && !isConceded(near[at - 1]?.letters),
  )
  if (turning) return isConditional(turning.letters, 'before') ? 'condition' : 'negation'
  if (words.some(({ letters }, at) => beginsSpeech(letters, words[at - 1]?.letters ?? ''))) return 'speaker'
  return words.length > longGap ? 'length' : undefined
}

/** Whether a word makes the `if` behind it no condition: `even if`, `as if`. */
function isConceded(before: string | undefined): boolean {
  return before === 'even' || before === 'as'
}

/** The words of a gap, or its beginning and end. */
function shown(gap: string): string {
  const words = gap.trim()
  if (words.length <= longestShown) return words
  const half = longestShown / 2
  return `${words.slice(0, half).replace(/\S*$/u, '')}… ${words.slice(-half).replace(/^\S*/u, '').trim()}`
}

function beside(
  side: Side,
  text: string,
  words: readonly WrittenWord[],
  quoted: Span,
): ContextWarning | undefined {
  const quotedFirst = wordsIn(text.slice(quoted.start, quoted.start + longestLook), 0)[0]
  for (const [word, next] of besideWords(side, words, quotedFirst)) {
    const range =
      side === 'before' ? { start: word.start, end: quoted.start } : { start: quoted.end, end: word.end }
    const joint = side === 'before' ? text.slice(word.end, quoted.start) : text.slice(quoted.end, word.start)
    if (sentenceEnd.test(joint)) return undefined
    const turns = deniesBeside(side, word, next, quotedFirst) && !joint.includes(',')
    const isCondition = isConditional(word.letters, side)
    if (turns || isCondition) {
      const words = text.slice(range.start, range.end).trim()
      return { words, where: side, kind: isCondition ? 'condition' : 'negation' }
    }
  }
  return undefined
}

/** A verb such as "forbidden" denies only the verb behind it: `it is forbidden to despair`. */
function deniesBeside(
  side: Side,
  { letters }: WrittenWord,
  next: WrittenWord | undefined,
  quotedFirst: WrittenWord | undefined,
): boolean {
  if (turnsMeaning(letters, side, next?.letters)) return true
  const governs = [next, quotedFirst].some((one) => one !== undefined && verbBehind.test(one.letters))
  return side === 'before' && governs && denies(letters, next?.letters)
}

/** The beginning of an infinitive or gerund. */
const verbBehind = /^(?:to|[a-z]{2,}ing|מ?ל[א-ת]{3,})$/

/**
 * The nearest word, and those before it as long as only words such as "the" stand between. Each with the next word.
 */
function besideWords(
  side: Side,
  words: readonly WrittenWord[],
  quotedFirst: WrittenWord | undefined,
): readonly (readonly [WrittenWord, next: WrittenWord | undefined])[] {
  const skipped = side === 'before' ? words.findIndex(({ letters }) => !between.has(letters)) : 0
  const near = words.slice(0, Math.min(farthest, skipped + 1))
  return near.map((word, at) => [word, at === 0 ? quotedFirst : near[at - 1]] as const)
}

function wordsBefore(text: string, at: number): readonly WrittenWord[] {
  const from = Math.max(0, at - longestLook)
  return wordsIn(text.slice(from, at), from).toReversed()
}

function wordsAfter(text: string, at: number): readonly WrittenWord[] {
  return wordsIn(text.slice(at, at + longestLook), at)
}
