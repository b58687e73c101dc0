import { type Bracket, countLetters, type PreparedText } from '../quotations/prepare.ts'
import {
  minLetters,
  type PreparedQuote,
  type QuotePart,
  type QuoteReading,
  type QuoteWords,
} from '../quotations/readings.ts'
import type { Span } from '../quotations/spans.ts'

/** One change that a writer makes to the words of a passage. Spans are in the folded passage. */
export type Edit =
  /** Words of the passage in brackets that the quotation does not have. */
  | { readonly kind: 'bracket'; readonly at: Bracket }
  /** Words of an ellipsis. */
  | { readonly kind: 'ellipsis'; readonly at: Span }
  /** Words that the quotation has in square brackets, and those of the passage whose place they take. */
  | { readonly kind: 'inserted'; readonly words: QuoteWords; readonly at: Span }
  /** A first word without its Hebrew prefix. */
  | { readonly kind: 'prefix'; readonly written: string; readonly at: Span }

/** A place that has the words of a quotation. Without edits it has them word for word. */
export type Wording = { readonly spans: readonly Span[]; readonly edits: readonly Edit[] }

/** Maximum number of places of one part that are tried, so that time stays linear. */
const maxPlaces = 50
/** Maximum number of ways to read one place: with or without each bracket. */
const maxWays = 24
/** A quotation with more ellipses or insertions is only compared letter by letter, so that time stays linear. */
const maxEdits = 60
/** Steps, of one word each, in which a part is followed through a passage. An ordinary quotation needs a few per word. */
const maxSteps = 20_000
/** Maximum number of brackets of a passage, one after the other, that a quotation may leave out. */
const maxBrackets = 20
/** Maximum number of words of a passage whose place an insertion may take. */
const maxReplaced = 8

/**
 * Finds the places that have a quotation: word for word, or with the edits that its signs announce. Words of the
 * passage in brackets may be missing from the quotation. Those word for word come first, then the others by the number
 * of words that they leave out.
 */
export function wordingsIn(quote: PreparedQuote, passage: PreparedText): readonly Wording[] {
  const found = [quote, ...quote.others].flatMap((reading) => wordingsOf(reading, passage))
  return found.length < 2 ? found : found.toSorted((a, b) => costOf(a) - costOf(b))
}

function costOf({ edits }: Wording): number {
  return edits.reduce((sum, { at }) => sum + 1 + at.end - at.start, 0)
}

function wordingsOf({ whole, parts }: QuoteReading, passage: PreparedText): readonly Wording[] {
  const inOne = placesOf(whole, passage).map(({ start, end, edits }) => ({ spans: [{ start, end }], edits }))
  if (parts[0] === whole || inOne.some(({ edits }) => edits.length === 0)) return inOne
  return [...inOne, ...inOrder(parts, passage)]
}

type Place = Span & { readonly edits: readonly Edit[] }

/** The places of consecutive words. One with edits needs as many letters of the passage as a quotation. */
function placesOf(part: QuotePart, passage: PreparedText): readonly Place[] {
  if (part.runs.length > maxEdits) return []
  const isPlain = passage.brackets.size === 0 && !part.runs.some(({ isInserted }) => isInserted)
  const places = isPlain ? plainPlaces(part, passage) : walkedPlaces(part, passage)
  return places.filter(({ edits }) => edits.length === 0 || lettersKept(part, edits) >= minLetters)
}

function lettersKept({ folded }: QuotePart, edits: readonly Edit[]): number {
  const inserted = edits.flatMap((edit) => (edit.kind === 'inserted' ? edit.words.words : []))
  return countLetters(folded) - inserted.join('').length
}

function plainPlaces({ folded, runs }: QuotePart, { padded }: PreparedText): readonly Place[] {
  return startsOf(folded, runs[0]?.written ?? '', padded).map(({ start, edits }) => ({
    start,
    end: start + folded.length,
    edits,
  }))
}

/** Hebrew prefixes that a quotation may omit. It then begins in the middle of a word. */
const prefixed = / ([ושהבכלמד]{1,3})$/

const firstWord = /[\p{L}\p{M}"'׳״’]+/u

/** Where words begin in padded text, as offsets of the folded text. `written` begins as they are written. */
function startsOf(words: string, written: string, padded: string): readonly Pick<Place, 'start' | 'edits'>[] {
  const found: { start: number; edits: readonly Edit[] }[] = []
  if (words === '') return found
  const isHebrew = /^[א-ת]/.test(words)
  let at = padded.indexOf(isHebrew ? `${words} ` : ` ${words} `)
  for (let tried = 0; at >= 0 && tried < maxPlaces; tried += 1) {
    const start = isHebrew ? at - 1 : at
    const before = padded.slice(Math.max(0, start - 3), start + 1)
    if (before.endsWith(' ')) found.push({ start, edits: [] })
    else {
      const prefix = prefixed.exec(before)?.[1]
      if (prefix !== undefined) {
        const first = /^\S*/.exec(words)?.[0] ?? ''
        const whole = { start: start - prefix.length, end: start + first.length }
        found.push({
          start,
          edits: [{ kind: 'prefix', written: firstWord.exec(written)?.[0] ?? first, at: whole }],
        })
      }
    }
    at = padded.indexOf(isHebrew ? `${words} ` : ` ${words} `, at + 1)
  }
  return found
}

/** One way to read a passage up to a word, as a list from its end. */
type Way = { readonly at: number; readonly edits: readonly Edit[] }

/** Follows the words through a passage, with or without each bracket of the passage and each insertion. */
function walkedPlaces({ runs }: QuotePart, passage: PreparedText): readonly Place[] {
  const left = { steps: maxSteps }
  const first = runs.findIndex(({ isInserted }) => !isInserted)
  const beginnings = first > 0 ? [0, first] : [0]
  return beginnings.flatMap((from) => {
    const word = runs[from]?.words[0]
    if (word === undefined) return []
    const before = runs.slice(0, from)
    return startsOf(word, runs[from]?.written ?? '', passage.padded).flatMap(({ start, edits }) => {
      const added = before.map((words) => inserted(words, start, start))
      const ends = follow(runs.slice(from), passage, { at: start, edits: [...added, ...edits] }, left)
      return ends.map((way) => ({ start, end: way.at - 1, edits: way.edits }))
    })
  })
}

function inserted(words: QuoteWords, start: number, end: number): Edit {
  return { kind: 'inserted', words, at: { start, end } }
}

function follow(
  runs: readonly QuoteWords[],
  passage: PreparedText,
  from: Way,
  left: { steps: number },
): readonly Way[] {
  let ways: readonly Way[] = [from]
  for (const [i, run] of runs.entries()) {
    let kept = ways
    for (const word of run.words) {
      if (kept.length === 0) break
      left.steps -= kept.length
      if (left.steps < 0) return []
      kept = step(kept, word, passage)
    }
    const isLast = i === runs.length - 1
    ways = run.isInserted ? nearest([...kept, ...replacing(run, ways, passage, isLast)]) : kept
    if (ways.length === 0) return []
  }
  return ways
}

/** The ways that go on with a word. */
function step(ways: readonly Way[], word: string, { padded, brackets }: PreparedText): readonly Way[] {
  const on: Way[] = []
  const add = ({ at, edits }: Way): void => {
    if (padded.startsWith(`${word} `, at + 1)) on.push({ at: at + word.length + 1, edits })
  }
  for (const way of ways) {
    add(way)
    let { at, edits } = way
    let skipped = 0
    const most = Math.min(maxBrackets, maxEdits - edits.length)
    for (let next = brackets.get(at); next !== undefined && skipped < most; next = brackets.get(at)) {
      skipped += 1
      edits = [...edits, { kind: 'bracket', at: next }]
      at = next.end + 1
      add({ at, edits })
    }
  }
  return nearest(on)
}

/** Passes over an insertion, and over words of the passage whose place it may take. */
function replacing(run: QuoteWords, ways: readonly Way[], { padded }: PreparedText, isLast: boolean): Way[] {
  return ways.flatMap(({ at, edits }) => {
    const over: Way[] = []
    let next = at
    for (let words = 0; words <= (isLast ? 0 : maxReplaced) && next < padded.length - 1; words += 1) {
      over.push({ at: next, edits: [...edits, inserted(run, at, Math.max(at, next - 1))] })
      next = padded.indexOf(' ', next + 1)
      if (next < 0) break
    }
    return over
  })
}

/** Of several ways to one place the one with the fewest edits. */
function nearest(ways: readonly Way[]): readonly Way[] {
  if (ways.length < 2) return ways
  const best = new Map<number, Way>()
  for (const way of ways) {
    const other = best.get(way.at)
    if (other === undefined || way.edits.length < other.edits.length) best.set(way.at, way)
  }
  return [...best.values()].slice(0, maxWays)
}

/** A quotation of short parts that leaves out many times its words is put together from single words. */
const minParts = 2.5
const timesOmitted = 5

/** The places that have all parts in order. For each place of the last part it takes the shortest range. */
function inOrder(parts: readonly QuotePart[], passage: PreparedText): readonly Wording[] {
  const letters = parts.reduce((sum, { folded }) => sum + countLetters(folded), 0)
  if (letters < minLetters || parts.length > maxEdits) return []
  let chains: readonly (readonly Place[])[] = [[]]
  for (const part of parts) {
    const places = partPlaces(part, passage)
    chains = places.flatMap((place) => {
      const before = chains.findLast((chain) => (chain.at(-1)?.end ?? -1) < place.start)
      return before === undefined ? [] : [[...before, place]]
    })
    if (chains.length === 0) return []
  }
  const words = parts.reduce((sum, { folded }) => sum + countWords(folded), 0)
  return chains.map(wordingOf).filter(({ edits }) => {
    const isPutTogether =
      words / parts.length < minParts && countOmitted(edits, passage) > timesOmitted * words
    return !isPutTogether
  })
}

/** A part may be short, because the whole quotation is long enough. */
function partPlaces(part: QuotePart, passage: PreparedText): readonly Place[] {
  if (part.runs.length > maxEdits) return []
  return walkedPlaces(part, passage).toSorted((a, b) => a.end - b.end || a.edits.length - b.edits.length)
}

function wordingOf(places: readonly Place[]): Wording {
  const edits = places.flatMap((place, i): readonly Edit[] => {
    const before = places[i - 1]
    if (before === undefined) return place.edits
    const at = { start: before.end + 1, end: Math.max(before.end + 1, place.start - 1) }
    return [{ kind: 'ellipsis', at }, ...place.edits]
  })
  return { spans: places.map(({ start, end }) => ({ start, end })), edits }
}

/** Number of words of a passage that ellipses leave out. */
export function countOmitted(edits: readonly Edit[], { padded }: PreparedText): number {
  return edits.reduce(
    (sum, { kind, at }) =>
      sum + (kind === 'ellipsis' ? countWords(padded.slice(at.start + 1, at.end + 1)) : 0),
    0,
  )
}

function countWords(folded: string): number {
  return folded.split(' ').filter((word) => word !== '').length
}
