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

/** Only terms that occur in the parts: the list of a thread also has those of earlier texts. */
function* rankTerms(parts: readonly IndexPart[]): Generator<undefined, Ranked> {
  const [terms, lists, numbers]: [string[], (readonly string[])[], number[]] = [[], [], []]
  const ranks = new Map<readonly string[], Uint32Array>()
  for (const [list, ofList] of Map.groupBy(parts, ({ words }) => words.terms)) {
    const occurs = new Uint32Array(list.length)
    for (const { words } of ofList) {
      for (const number of words.numbers) occurs[number] = 1
      yield
    }
    for (let number = 0; number < list.length; number += 1) {
      if (occurs[number] === 0) continue
      terms.push(list[number] as string)
      lists.push(list)
      numbers.push(number)
    }
    ranks.set(list, occurs)
    yield
  }
  const sorted: string[] = []
  const order = orderOf(terms)
  yield
  for (const at of order) {
    const term = terms[at] as string
    if (sorted.at(-1) !== term) sorted.push(term)
    const ofList = ranks.get(lists[at] as readonly string[]) as Uint32Array
    ofList[numbers[at] as number] = sorted.length - 1
  }
  return { terms: sorted, ranks }
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
  for (const { words, postings } of slices) {
    const ofList = ranks.get(words.terms) as Uint32Array
    for (let i = postings[0]; i < postings[1]; i += 1) {
      const rank = ofList[words.numbers[i] as number] as number
      ends[rank] = (ends[rank] as number) + 1
    }
    yield
  }
  let sum = 0
  for (let term = 0; term < ends.length; term += 1) {
    const count = ends[term] as number
    ends[term] = sum
    sum += count
  }
  const sorted = new Uint32Array(sum)
  for (const slice of slices) {
    sortInto(sorted, ends, slice, ranks.get(slice.words.terms) as Uint32Array)
    yield
  }
  const present: string[] = []
  const starts = new Uint32Array(terms.length + 1)
  let before = 0
  for (let term = 0; term < terms.length; term += 1) {
    const end = ends[term] as number
    if (end > before) starts[present.push(terms[term] as string)] = end
    before = end
  }
  return { block, terms: present, starts, data: Buffer.from(sorted.buffer) }
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
