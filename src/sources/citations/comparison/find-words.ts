import type { Span } from '../quotations/prepare.ts'
import { turnsMeaning } from '../turning-words/negations.ts'

/** Hebrew prefixes that a quotation may omit. It then begins in the middle of a word. */
const prefixed = / [ושהבכלמד]{1,3}$/
/** Those of a negation or condition. The others make another word of it: `הלא`, `מאין`, `האם`. */
const prefixedTurning = / [ושד]{1,2}$/
const maxAttempts = 50

/**
 * Finds whole words in padded text, starting at an offset of the unpadded text. The first Hebrew word may lack its
 * prefixes.
 */
export function findWording(words: string, padded: string, from: number): Span | undefined {
  if (words === '') return undefined
  const at = padded.indexOf(` ${words} `, from)
  if (at >= 0) return { start: at, end: at + words.length }
  if (!/^[א-ת]/.test(words)) return undefined
  const prefixes = turnsMeaning(firstWord(words), 'before') ? prefixedTurning : prefixed
  let inner = padded.indexOf(`${words} `, from + 1)
  for (let attempt = 0; inner >= 0 && attempt < maxAttempts; attempt += 1) {
    if (prefixes.test(padded.slice(Math.max(0, inner - 4), inner))) {
      return { start: inner - 1, end: inner - 1 + words.length }
    }
    inner = padded.indexOf(`${words} `, inner + 1)
  }
  return undefined
}

function firstWord(words: string): string {
  return /^\S*/.exec(words)?.[0] ?? ''
}

/**
 * Finds several wordings in order. Among all matches it takes the shortest range that ends at the first possible end
 * of the last wording.
 */
function wordsInOrder(parts: readonly string[], padded: string, from: number): readonly Span[] | undefined {
  const spans: Span[] = []
  for (const part of parts) {
    const span = findWording(part, padded, spans.at(-1)?.end ?? from)
    if (span === undefined) return undefined
    spans.push(span)
  }
  for (let i = spans.length - 2; i >= 0; i -= 1) {
    const words = parts[i] ?? ''
    const before = (spans[i + 1]?.start ?? 0) - words.length - 1
    const last = before < 0 ? -1 : padded.lastIndexOf(` ${words} `, before)
    if (last > (spans[i]?.start ?? 0)) spans[i] = { start: last, end: last + words.length }
  }
  return spans
}

/** Maximum number of places that are tried, so that time stays linear. */
const maxPlaces = 5
/** Letters between parts that always count as near. */
const nearGap = 120

/**
 * Yields the places where several wordings stand in order. Places after the first one whose parts stand farther apart
 * are left out.
 */
export function* placesInOrder(parts: readonly string[], padded: string): Generator<readonly Span[]> {
  let widest = Number.POSITIVE_INFINITY
  let from = 0
  for (let tried = 0; tried < maxPlaces; tried += 1) {
    const spans = wordsInOrder(parts, padded, from)
    const [first] = spans ?? []
    if (spans === undefined || first === undefined) return
    const gap = gapsOf(spans)
    if (gap <= widest) yield spans
    widest = Math.min(widest, Math.max(gap, nearGap))
    from = first.start + 1
  }
}

function gapsOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { start }, i) => sum + (i === 0 ? 0 : start - (spans[i - 1]?.end ?? start)), 0)
}

const longestWord = 40

/** Widens a window to whole words and removes spaces at its ends. */
export function wholeWords({ start, end }: Span, folded: string): Span {
  const before = /\S*$/.exec(folded.slice(Math.max(0, start - longestWord), start))?.[0].length ?? 0
  const after = /^\S*/.exec(folded.slice(end, end + longestWord))?.[0].length ?? 0
  return {
    start: folded[start] === ' ' ? start + 1 : start - before,
    end: folded[end - 1] === ' ' ? end - 1 : end + after,
  }
}
