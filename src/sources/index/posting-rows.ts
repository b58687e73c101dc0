import { runInTimeSlices } from '../text/time-slices.ts'
import type { IndexTerms } from './index-terms.ts'
import { blockOf, blockSize } from './postings.ts'
import { orderOf } from './term-order.ts'

/** Consecutive documents, with the number of the first. */
export type IndexPart = { readonly firstDoc: number; readonly words: IndexTerms }

/** The postings of one block of documents, by term. */
export type BlockRows = {
  readonly block: number
  /** In ascending order: they fill the pages of the primary key one after another. */
  readonly terms: readonly string[]
  /** Term `i` has the postings from `starts[i]` to `starts[i + 1]`. */
  readonly starts: Uint32Array
  /** As bytes of the index, see `postings`. */
  readonly data: Buffer
}

/** The terms of parts in sorted order, and for each list of terms the position of each of its terms in this order. */
type Ranked = {
  readonly terms: readonly string[]
  readonly ranks: ReadonlyMap<readonly string[], Uint32Array>
}

/** The postings of one part that lie in one block. */
type Slice = {
  readonly block: number
  readonly words: IndexTerms
  readonly firstLocal: number
  readonly texts: readonly [from: number, to: number]
  readonly postings: readonly [from: number, to: number]
}

/** Yields the index rows of the parts, block by block. The event loop runs in between, also within a block. */
export async function* rowsByBlock(parts: readonly IndexPart[]): AsyncGenerator<BlockRows> {
  const ranked = await runInTimeSlices(rankTerms(parts))
  const slices = parts.flatMap(slicesOf)
  for (const [block, inBlock] of Map.groupBy(slices, (slice) => slice.block))
    yield await runInTimeSlices(rowsOf(block, inBlock, ranked))
}

/** A list of terms, with a mark for each of its terms that occurs, which becomes the position of the term. */
type MarkedList = { readonly list: readonly string[]; readonly marks: Uint32Array }

/** Only terms that occur in the parts: the list of a thread also has those of earlier texts. */
function* rankTerms(parts: readonly IndexPart[]): Generator<undefined, Ranked> {
  const lists: MarkedList[] = []
  for (const [list, ofList] of Map.groupBy(parts, ({ words }) => words.terms)) {
    const marks = new Uint32Array(list.length)
    for (const { words } of ofList) {
      markAll(marks, words.numbers)
      yield
    }
    lists.push({ list, marks })
  }
  const terms = lists.flatMap(termsOf)
  yield
  const order = orderOf(terms)
  yield
  const { sorted, ranks } = rankInOrder(terms, order)
  yield
  let from = 0
  for (const { marks } of lists) from = replaceMarks(marks, ranks, from)
  return { terms: sorted, ranks: new Map(lists.map(({ list, marks }) => [list, marks])) }
}

// Loops are functions of their own, because V8 optimises them later, or never, within a generator.

function markAll(marks: Uint32Array, numbers: Uint32Array): void {
  for (let i = 0; i < numbers.length; i += 1) marks[numbers[i] as number] = 1
}

function termsOf({ list, marks }: MarkedList): readonly string[] {
  const terms: string[] = []
  for (let number = 0; number < list.length; number += 1)
    if (marks[number] !== 0) terms.push(list[number] as string)
  return terms
}

/** The different terms in order, and the position of each of the given ones among them. */
function rankInOrder(
  terms: readonly string[],
  order: Uint32Array,
): { readonly sorted: readonly string[]; readonly ranks: Uint32Array } {
  const sorted: string[] = []
  const ranks = new Uint32Array(terms.length)
  let before: string | undefined
  for (let i = 0; i < order.length; i += 1) {
    const at = order[i] as number
    const term = terms[at] as string
    if (term !== before) before = sorted[sorted.push(term) - 1]
    ranks[at] = sorted.length - 1
  }
  return { sorted, ranks }
}

/** Replaces the marks of a list by the ranks from `from` on, and returns where those of the next list begin. */
function replaceMarks(marks: Uint32Array, ranks: Uint32Array, from: number): number {
  let next = from
  for (let number = 0; number < marks.length; number += 1) {
    if (marks[number] === 0) continue
    marks[number] = ranks[next] as number
    next += 1
  }
  return next
}

function slicesOf({ firstDoc, words }: IndexPart): readonly Slice[] {
  const { counts } = words
  const slices: Slice[] = []
  let posting = 0
  for (let from = 0; from < counts.length; ) {
    const doc = firstDoc + from
    const to = Math.min(counts.length, from + blockSize - (doc % blockSize))
    const first = posting
    for (let text = from; text < to; text += 1) posting += counts[text] as number
    slices.push({
      block: blockOf(doc),
      words,
      firstLocal: doc % blockSize,
      texts: [from, to],
      postings: [first, posting],
    })
    from = to
  }
  return slices
}

/** Groups postings by term with a counting sort. */
function* rowsOf(
  block: number,
  slices: readonly Slice[],
  { terms, ranks }: Ranked,
): Generator<undefined, BlockRows> {
  const ends = new Uint32Array(terms.length)
  for (const slice of slices) {
    countInto(ends, slice, ranks.get(slice.words.terms) as Uint32Array)
    yield
  }
  const sorted = new Uint32Array(startsFrom(ends))
  for (const slice of slices) {
    sortInto(sorted, ends, slice, ranks.get(slice.words.terms) as Uint32Array)
    yield
  }
  return { block, ...presentTerms(terms, ends), data: Buffer.from(sorted.buffer) }
}

function countInto(ends: Uint32Array, { words, postings }: Slice, ranks: Uint32Array): void {
  const { numbers } = words
  for (let i = postings[0]; i < postings[1]; i += 1) {
    const rank = ranks[numbers[i] as number] as number
    ends[rank] = (ends[rank] as number) + 1
  }
}

/** Replaces counts by the sums of those before them, and returns the sum of all. */
function startsFrom(counts: Uint32Array): number {
  let sum = 0
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i] as number
    counts[i] = sum
    sum += count
  }
  return sum
}

function presentTerms(terms: readonly string[], ends: Uint32Array): Pick<BlockRows, 'terms' | 'starts'> {
  const present: string[] = []
  const starts = new Uint32Array(terms.length + 1)
  let before = 0
  for (let term = 0; term < terms.length; term += 1) {
    const end = ends[term] as number
    if (end > before) starts[present.push(terms[term] as string)] = end
    before = end
  }
  return { terms: present, starts }
}

/** @param ends where the next posting of each term belongs. */
function sortInto(
  sorted: Uint32Array,
  ends: Uint32Array,
  { words, firstLocal, texts, postings }: Slice,
  ranks: Uint32Array,
): void {
  const { counts, numbers } = words
  let i = postings[0]
  for (let text = texts[0]; text < texts[1]; text += 1) {
    const local = firstLocal + text - texts[0]
    for (const end = i + (counts[text] as number); i < end; i += 1) {
      const rank = ranks[numbers[i] as number] as number
      const at = ends[rank] as number
      sorted[at] = (words.postings[i] as number) | local
      ends[rank] = at + 1
    }
  }
}
