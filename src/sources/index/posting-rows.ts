import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { copyRows } from '../../db/copy.ts'
import { writeSpellings } from '../text/spellings.ts'
import type { IndexTerms } from './index-terms.ts'
import { blockOf, blockSize, postingBytes } from './postings.ts'

/** The postings of one term in one block of documents. */
export type PostingRow = { readonly term: string; readonly documents: number; readonly data: Buffer }

/** Consecutive documents, with the number of the first. */
export type IndexPart = { readonly firstDoc: number; readonly words: IndexTerms }

/** The terms of texts that wait to be indexed. Each gets a number at once, which makes writing the index faster. */
export class TermBuffer {
  /** The terms by their numbers. */
  readonly terms: string[] = []
  readonly #known = new Map<string, number>()
  /** For each list of terms, the number + 1 of each term that occurred. */
  readonly #byList = new Map<readonly string[], Uint32Array>()

  /** Returns the number of the term of each posting. */
  number({ terms, numbers }: IndexTerms): Uint32Array<ArrayBuffer> {
    let own = this.#byList.get(terms)
    if (!own || own.length < terms.length) {
      const longer = new Uint32Array(Math.ceil(terms.length * 1.5))
      if (own) longer.set(own)
      own = longer
      this.#byList.set(terms, own)
    }
    const numbered = new Uint32Array(numbers.length)
    for (let i = 0; i < numbers.length; i += 1) {
      const inList = numbers[i] as number
      let number = own[inList] as number
      if (number === 0) {
        number = this.#numberOf(terms[inList] as string) + 1
        own[inList] = number
      }
      numbered[i] = number - 1
    }
    return numbered
  }

  #numberOf(term: string): number {
    const known = this.#known.get(term)
    if (known !== undefined) return known
    const number = this.terms.push(term) - 1
    this.#known.set(term, number)
    return number
  }

  /** Returns all terms in sorted order, and for each number its position in this order. */
  ranked(): { readonly terms: readonly string[]; readonly ranks: Uint32Array } {
    // Sorted terms fill the pages of the primary key one after another.
    const terms = this.terms.toSorted()
    const ranks = new Uint32Array(terms.length)
    for (const [rank, term] of terms.entries()) ranks[this.#known.get(term) ?? 0] = rank
    return { terms, ranks }
  }
}

/** A part whose postings have the numbers of their terms in a `TermBuffer`. */
export type NumberedPart = Pick<IndexTerms, 'counts' | 'postings'> & {
  readonly firstDoc: number
  readonly numbers: Uint32Array<ArrayBuffer>
}

/** The postings of one part that lie in one block. */
type Slice = {
  readonly part: NumberedPart
  readonly firstLocal: number
  readonly texts: readonly [from: number, to: number]
  readonly firstPosting: number
}

/** Yields the index rows of the parts, block by block. */
export function* rowsByBlock(
  parts: readonly NumberedPart[],
  { terms, ranks }: ReturnType<TermBuffer['ranked']>,
): Generator<readonly [block: number, rows: readonly PostingRow[]]> {
  const slices = parts.flatMap(slicesOf)
  for (const [block, inBlock] of Map.groupBy(slices, ({ block }) => block)) {
    yield [block, rowsOf(inBlock, terms, ranks)]
  }
}

function slicesOf(part: NumberedPart): readonly (Slice & { readonly block: number })[] {
  const { firstDoc, counts } = part
  const slices: (Slice & { readonly block: number })[] = []
  let posting = 0
  for (let from = 0; from < counts.length; ) {
    const doc = firstDoc + from
    const to = Math.min(counts.length, from + blockSize - (doc % blockSize))
    slices.push({
      block: blockOf(doc),
      part,
      firstLocal: doc % blockSize,
      texts: [from, to],
      firstPosting: posting,
    })
    for (let text = from; text < to; text += 1) posting += counts[text] as number
    from = to
  }
  return slices
}

/** Groups postings by term with a counting sort. */
function rowsOf(
  slices: readonly Slice[],
  terms: readonly string[],
  ranks: Uint32Array,
): readonly PostingRow[] {
  const ends = new Uint32Array(terms.length)
  for (const { part, firstPosting, texts } of slices) {
    let posting = firstPosting
    for (let text = texts[0]; text < texts[1]; text += 1) posting += part.counts[text] as number
    for (let i = firstPosting; i < posting; i += 1) {
      const rank = ranks[part.numbers[i] as number] as number
      ends[rank] = (ends[rank] as number) + 1
    }
  }
  let sum = 0
  for (let term = 0; term < ends.length; term += 1) {
    const count = ends[term] as number
    ends[term] = sum
    sum += count
  }
  const sorted = new Uint32Array(sum)
  for (const slice of slices) sortInto(sorted, ends, slice, ranks)
  const bytes = Buffer.from(sorted.buffer)
  const rows: PostingRow[] = []
  terms.forEach((term, number) => {
    const from = number === 0 ? 0 : (ends[number - 1] ?? 0)
    const to = ends[number] ?? 0
    if (to > from)
      rows.push({ term, documents: to - from, data: bytes.subarray(from * postingBytes, to * postingBytes) })
  })
  return rows
}

/** @param ends where the next posting of each term belongs. */
function sortInto(
  sorted: Uint32Array,
  ends: Uint32Array,
  { part, firstLocal, firstPosting, texts }: Slice,
  ranks: Uint32Array,
): void {
  const { counts, numbers, postings } = part
  let i = firstPosting
  for (let text = texts[0]; text < texts[1]; text += 1) {
    const local = firstLocal + text - texts[0]
    for (const end = i + (counts[text] as number); i < end; i += 1) {
      const rank = ranks[numbers[i] as number] as number
      const at = ends[rank] as number
      sorted[at] = (postings[i] as number) | local
      ends[rank] = at + 1
    }
  }
}

/** Rows per statement: enough to save round trips, few enough to stay far below the statement timeout. */
const batchRows = 5_000

const postingsTable = {
  table: 'search_postings',
  columns: [
    ['term', 'text'],
    ['block', 'int4'],
    ['documents', 'int4'],
    ['data', 'bytea'],
  ],
} as const

/**
 * Appends rows to a block of the index, with the spellings of its new terms. The documents of the rows follow those
 * already in the block.
 * @param spellings writes the spellings concurrently, in its own transaction. Default: in the same transaction, after
 * the rows.
 */
export async function writeRows(
  tx: Executor,
  block: number,
  rows: readonly PostingRow[],
  spellings?: (terms: readonly string[]) => Promise<void>,
): Promise<void> {
  const known = await knownTerms(tx, block, rows)
  const added = rows.filter(({ term }) => !known.has(term))
  const terms = added.map(({ term }) => term)
  const beside = spellings?.(terms)
  // Waits for both, so that none is still running when the other fails.
  const ends = await Promise.allSettled([
    beside,
    writePostings(
      tx,
      block,
      added,
      rows.filter(({ term }) => known.has(term)),
    ),
  ])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  if (!beside) await writeSpellings(tx, terms)
}

async function writePostings(
  tx: Executor,
  block: number,
  added: readonly PostingRow[],
  grown: readonly PostingRow[],
): Promise<void> {
  await copyRows(
    tx,
    postingsTable,
    added.values().map(({ term, documents, data }) => [term, block, documents, data]),
  )
  for (let from = 0; from < grown.length; from += batchRows)
    await appendTo(tx, block, grown.slice(from, from + batchRows))
}

async function knownTerms(
  tx: Executor,
  block: number,
  rows: readonly PostingRow[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>()
  const begun = await tx.execute(sql`select 1 from search_postings where block = ${block} limit 1`)
  if (begun.rows.length === 0) return known
  for (let from = 0; from < rows.length; from += batchRows) {
    const terms = rows.slice(from, from + batchRows).map(({ term }) => term)
    const found = await tx.execute<{ term: string }>(
      sql`select term from search_postings where block = ${block} and term = any(${sql.param(terms)}::text[])`,
    )
    for (const { term } of found.rows) known.add(term)
  }
  return known
}

async function appendTo(tx: Executor, block: number, rows: readonly PostingRow[]): Promise<void> {
  await tx.execute(sql`
    update search_postings p set documents = p.documents + t.documents, data = p.data || t.data
    from unnest(${sql.param(rows.map((row) => row.term))}::text[], ${sql.param(rows.map((row) => row.documents))}::int[], ${sql.param(rows.map((row) => row.data))}::bytea[])
      as t (term, documents, data)
    where p.block = ${block} and p.term = t.term`)
}
