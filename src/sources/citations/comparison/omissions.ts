import type { Span } from '../quotations/prepare.ts'
import { wordSet } from '../turning-words/negations.ts'
import { denies, isContrast } from '../turning-words/reversals.ts'
import { isSpeechVerb } from '../turning-words/speakers.ts'
import { type WrittenWord, wordsIn } from './written-words.ts'

/** Words that may stand between a negation and the verb or noun it governs: `does not really want to`. */
const between = new Set(
  (
    'a an the all any be been being have has had do did in of to ever yet even always longer really truly actually quite so at all able allowed permitted supposed mean means meant want wants wanted trying try tries willing like ' +
    'היה היתה הייתה היו יהיה תהיה יהיו להיות עוד כלל באמת ממש כל כך אפילו יכול יכולה יכולימ אפשר רוצה רוצימ צריכ צריכה ראוי מותר לו לה להמ'
  ).split(' '),
)
const farthest = 3
const clauseEnd = /[.:;?!,׃—–]/
/** A negation of the words before an ellipsis, in brackets of its own: `is not, as many think, a saint`. */
const apart = /^\s*(?:[\p{L}\p{M}]+\s+)?[\p{L}\p{M}'’]+\s*,[^,.:;?!׃]{1,120},\s*$/u

/** Words that an ellipsis leaves out and without which the quoted words say something else. */
export type AlteringOmission = { readonly words: string; readonly kind: 'negation' | 'speaker' }

/**
 * Finds the words that an ellipsis leaves out and without which the quoted words say something else:
 * - their negation: `He … transgress` for `He does not transgress`. Negations of other words that are left out do not
 *   count: `He does not sin and prays`;
 * - the word that limits a quoted negation: `not … a condition` for `not an ornament but a condition`;
 * - the speaker of a quoted verb: `The Tanya … says` for `The Tanya compares it. Rebbe Nachman says`.
 * @param pieces where the parts of the quotation stand in `text`, in order.
 */
export function alteringOmission(text: string, pieces: readonly Span[]): AlteringOmission | undefined {
  for (const [i, piece] of pieces.entries()) {
    const next = pieces[i + 1]
    if (next === undefined) return undefined
    const gap = { start: piece.end, end: next.start }
    const negation = governing(text, gap) ?? contrastAfter(text, piece, gap)
    if (negation !== undefined) return { words: negation, kind: 'negation' }
    const speaker = omittedSpeaker(text, gap)
    if (speaker !== undefined) return { words: speaker, kind: 'speaker' }
  }
  return undefined
}

/** The contrast at the end of a gap, if the quoted words before the gap end with the negation. */
function contrastAfter(text: string, piece: Span, gap: Span): string | undefined {
  const from = Math.max(piece.start, piece.end - longestEdge)
  const quoted = wordsIn(text.slice(from, piece.end), from).slice(-2)
  if (!quoted.some(isDenying)) return undefined
  const edge = Math.max(gap.start, gap.end - longestEdge)
  const last = wordsIn(text.slice(edge, gap.end), edge)
    .slice(-2)
    .find(({ letters }) => isContrast(letters))
  return last && text.slice(last.start, gap.end).trim()
}

const sentenceEnd = /[.?!׃]["”’)]*\s+(?=[^.?!׃]*$)/u

/** The subject of a quoted verb of speech, if the gap begins its sentence. */
function omittedSpeaker(text: string, gap: Span): string | undefined {
  const verb = wordsIn(text.slice(gap.end, gap.end + 40), gap.end)[0]
  if (verb === undefined || !isSpeechVerb(verb.letters)) return undefined
  const edge = text.slice(Math.max(gap.start, gap.end - longestEdge), gap.end)
  const end = sentenceEnd.exec(edge)
  const subject = end === null ? '' : edge.slice(end.index + end[0].length).trim()
  return /\p{L}/u.test(subject) ? subject : undefined
}

/** Characters at an edge of a gap that are read. */
const longestEdge = 160

function governing(text: string, gap: Span): string | undefined {
  const from = Math.max(gap.start, gap.end - longestEdge)
  const words = wordsIn(text.slice(from, gap.end), from)
  const next = wordsIn(text.slice(gap.end, gap.end + 40), gap.end)[0]
  const last = [...words].reverse().slice(0, farthest)
  for (const [i, word] of last.entries()) {
    if (clauseEnd.test(text.slice(word.end, last[i - 1]?.start ?? gap.end))) return negationApart(text, gap)
    if (denies(word.letters, (last[i - 1] ?? next)?.letters)) return text.slice(word.start, gap.end).trim()
    if (!between.has(word.letters)) return undefined
  }
  return undefined
}

/** Words that limit the words beside them. Alone in brackets they belong to the text: `is forgiven (only) when`. */
const limiting = wordSet('only merely almost nearly barely perhaps sometimes partly רק כמעט אולי לפעמים אך')
const brackets = /\[[^[\]]{1,400}\]|\([^()]{1,400}\)/g

/**
 * Finds the words in brackets of a text that a quotation leaves out and without which it says something else: `is (not)
 * literal`, `is forgiven (only) when he returns`.
 * @param pieces where the parts of the quotation stand in `text`.
 */
export function alteringBracket(text: string, pieces: readonly Span[]): string | undefined {
  for (const { start, end } of pieces) {
    for (const { 0: written, index } of text.slice(start, end).matchAll(brackets)) {
      const gap = { start: start + index, end: start + index + written.length }
      const words = wordsIn(written, 0)
      const isLimiting = words.length > 0 && words.every(({ letters }) => limiting.has(letters))
      if (isLimiting || governing(text, gap) !== undefined) return written.slice(1, -1)
    }
  }
  return undefined
}

function negationApart(text: string, { start, end }: Span): string | undefined {
  if (end - start > longestEdge) return undefined
  const left = text.slice(start, end)
  const words = wordsIn(left, 0).slice(0, 2)
  return apart.test(left) && words.some(isDenying) ? left.trim() : undefined
}

function isDenying({ letters }: WrittenWord, at: number, words: readonly WrittenWord[]): boolean {
  return denies(letters, words[at + 1]?.letters)
}

/** A quotation of short parts that leaves out many times its words is put together from single words. */
const minParts = 2.5
const timesOmitted = 5

/** Whether an ellipsis makes the quoted words say something else, or joins single words from far apart. */
export function isAlteredByEllipsis(text: string, pieces: readonly Span[]): boolean {
  if (pieces.length < 2) return false
  return alteringOmission(text, pieces) !== undefined || isPutTogether(text, pieces)
}

/** Whether a quotation joins single words from far apart. */
export function isPutTogether(text: string, pieces: readonly Span[]): boolean {
  const words = pieces.reduce((sum, { start, end }) => sum + wordsIn(text.slice(start, end), 0).length, 0)
  return words / pieces.length < minParts && countOmitted(text, pieces) > timesOmitted * words
}

/** Number of words that the ellipses of a quotation leave out. */
export function countOmitted(text: string, pieces: readonly Span[]): number {
  let count = 0
  for (const [i, { end }] of pieces.entries()) {
    const next = pieces[i + 1]
    if (next !== undefined) count += wordsIn(text.slice(end, next.start), 0).length
  }
  return count
}
