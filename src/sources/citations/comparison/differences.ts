import type { PreparedText } from '../quotations/prepare.ts'
import type { PreparedQuote } from '../quotations/readings.ts'
import type { Span } from '../quotations/spans.ts'
import { type ComparedWord, isAbbreviated } from './abbreviations.ts'
import { minSimilarity, type NearestSpans, type QuoteLocation, shown, toLocation } from './locate.ts'
import type { Difference } from './quote-check.ts'
import type { Budget } from './similarity.ts'
import { type Alignment, alignWords, type Step } from './word-alignment.ts'

/** A close wording with its differences. */
export type NearWording = QuoteLocation & { readonly differences: readonly Difference[] }

const maxDifferences = 20
/** Words added on each side of a window: an abbreviation at its edge may stand for several. */
const widenedBy = 8
/** Minimum similarity before abbreviations are expanded. Below it the text is not the quoted one. */
const minBeforeAbbreviations = 0.45

/** Cost of comparing two words, in steps of the letter comparison. */
const stepsOfCell = 30

type Word = ComparedWord & Span

/**
 * Turns the nearest place into a close wording. One that is not close has the result `none`, and `nearest` if its words
 * were compared. Similarity counts letters; an
 * abbreviation counts as the words it stands for.
 */
export function nearWording(
  quote: PreparedQuote,
  near: NearestSpans,
  passage: PreparedText,
  budget: Budget,
): NearWording | { readonly result: 'none'; readonly similarity: number; readonly nearest?: NearWording } {
  if (near.similarity < minBeforeAbbreviations) return { result: 'none', similarity: near.similarity }
  const compared = near.spans.length === 1 ? comparedWords(quote, near.spans[0], passage, budget) : undefined
  const similarity = Math.max(near.similarity, compared?.similarity ?? 0)
  const spans = compared && compared.similarity >= near.similarity - slack ? [compared.span] : near.spans
  const wording = {
    ...toLocation('fuzzy', spans, passage, similarity),
    differences: compared?.differences ?? leftOutBetween(spans, passage),
  }
  if (similarity >= minSimilarity) return wording
  return { result: 'none', similarity, ...(compared && { nearest: wording }) }
}

/** The words that the ellipses of a close wording leave out. */
function leftOutBetween(spans: readonly Span[], { text, offsets }: PreparedText): readonly Difference[] {
  return spans.flatMap(({ end }, i) => {
    const next = spans[i + 1]
    const words = next && text.slice(offsets[end] ?? 0, offsets[next.start] ?? 0).trim()
    return words ? [{ kind: 'left_out' as const, quote: '', text: shown(words) }] : []
  })
}

/** Tolerance: aligning words costs slightly more than aligning letters where words are split or joined. */
const slack = 0.05

type Compared = {
  readonly similarity: number
  readonly span: Span
  readonly differences: readonly Difference[]
}

function comparedWords(
  quote: PreparedQuote,
  span: Span | undefined,
  passage: PreparedText,
  budget: Budget,
): Compared | undefined {
  if (span === undefined) return undefined
  const mine = wordsIn(quote.written, { start: 0, end: quote.written.padded.length - 2 })
  const around = wordsIn(passage, widened(span, passage))
  budget.left -= mine.length * around.length * stepsOfCell
  if (budget.left < 0) return undefined
  const alignment = alignWords(mine, around)
  if (alignment === undefined || alignment.steps.length === 0) return undefined
  const used = alignment.steps.reduce((sum, { passed }) => sum + passed, 0)
  const first = around[alignment.from]
  const last = around[alignment.from + used - 1]
  if (first === undefined || last === undefined) return undefined
  return {
    similarity: 1 - alignment.cost / comparedLength(alignment, mine, around),
    span: { start: first.start, end: last.end },
    differences: differencesOf(alignment, mine, around),
  }
}

function widened({ start, end }: Span, { padded }: PreparedText): Span {
  const folded = padded.slice(1, -1)
  const before = folded
    .slice(Math.max(0, start - 200), start)
    .trimEnd()
    .split(' ')
    .slice(-widenedBy)
  const after = folded
    .slice(end, end + 200)
    .trimStart()
    .split(' ')
    .slice(0, widenedBy)
  const lengthOf = (words: readonly string[]): number => words.join(' ').length + 1
  return {
    start: Math.max(0, start - lengthOf(before)),
    end: Math.min(folded.length, end + lengthOf(after)),
  }
}

/** Returns the words that lie completely in a range of folded text, as written in the original. */
function wordsIn({ padded, offsets, text }: PreparedText, { start, end }: Span): readonly Word[] {
  return [...padded.slice(start + 1, end + 1).matchAll(/\S+/g)].map(({ 0: letters, index }) => {
    const at = start + index
    const until = at + letters.length
    return { letters, start: at, end: until, written: text.slice(offsets[at] ?? 0, offsets[until] ?? 0) }
  })
}

/** Letters and spaces of the longer side, with abbreviations counted as their words. */
function comparedLength({ steps, from }: Alignment, mine: readonly Word[], others: readonly Word[]): number {
  let quoted = 0
  let passed = 0
  walk({ steps, from }, mine, others, (step, own, other) => {
    const [ownLength, otherLength] = [lengthOf(own), lengthOf(other)]
    const isShort = step.kind === 'abbreviation' || step.kind === 'name'
    quoted += isShort ? Math.max(ownLength, otherLength) : ownLength
    passed += isShort ? Math.max(ownLength, otherLength) : otherLength
  })
  // The last word has no space after it.
  return Math.max(1, quoted - 1, passed - 1)
}

function lengthOf(words: readonly Word[]): number {
  return words.reduce((sum, { letters }) => sum + letters.length + 1, 0)
}

function walk(
  { steps, from }: Pick<Alignment, 'steps' | 'from'>,
  mine: readonly Word[],
  others: readonly Word[],
  each: (step: Step, own: readonly Word[], other: readonly Word[]) => void,
): void {
  let own = 0
  let other = from
  for (const step of steps) {
    each(step, mine.slice(own, own + step.quoted), others.slice(other, other + step.passed))
    own += step.quoted
    other += step.passed
  }
}

/** Another name is an abbreviation only if it is written as one: `הבעש"ט`, but not `Hashem` for `God`. */
function reportedKind(
  { kind }: Step,
  own: readonly Word[],
  other: readonly Word[],
): Difference['kind'] | 'same' {
  if (kind !== 'name') return kind
  return [...own, ...other].some(isAbbreviated) ? 'abbreviation' : 'changed'
}

/** Joins neighbouring differences, unless one of them is an abbreviation. */
function differencesOf(
  alignment: Alignment,
  mine: readonly Word[],
  others: readonly Word[],
): readonly Difference[] {
  const found: { kind: Difference['kind']; quote: string; text: string }[] = []
  let previous: Difference['kind'] | 'same' = 'same'
  walk(alignment, mine, others, (step, own, other) => {
    const kind = reportedKind(step, own, other)
    const last = found.at(-1)
    const goesOn = kind !== 'abbreviation' && previous !== 'same' && previous !== 'abbreviation'
    previous = kind
    if (kind === 'same') return
    if (goesOn && last !== undefined) {
      last.quote = joined(last.quote, own)
      last.text = joined(last.text, other)
      last.kind = last.quote === '' ? 'left_out' : last.text === '' ? 'added' : 'changed'
    } else found.push({ kind, quote: joined('', own), text: joined('', other) })
  })
  return found.slice(0, maxDifferences)
}

function joined(before: string, words: readonly Word[]): string {
  return [before, ...words.map(({ written }) => written.trim())].filter((part) => part !== '').join(' ')
}
