import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { indexTermsOf, type TextToIndex } from './index-terms.ts'
import { lockIndex, readIndexWatermark, setIndexWatermark } from './index-watermark.ts'
import { type IndexPart, rowsByBlock } from './posting-rows.ts'
import { blockOf, blockSize } from './postings.ts'
import { ListedTerms } from './spelling-rows.ts'
import { headingsOf } from './terms.ts'
import { writeRows } from './write-rows.ts'

/** Maximum number of postings in memory: eight bytes each, and four more while they are sorted. */
const heldPostings = 12_000_000

/** Collects the terms of many works in memory, because writing them together needs far fewer rows. */
export type IndexWriter = {
  /** Adds stored texts. Their document numbers follow those of the texts added before. */
  add(parts: readonly IndexPart[]): void
  /** Whether the writer should be flushed before more is added: it has a whole block, or very much. */
  readonly isFull: boolean
  /**
   * Writes what is held and raises the watermark, under the index lock.
   * @param options.wholeBlocks writes only complete blocks, if there is one. Rows of an incomplete block would have to
   * be read and written again.
   */
  flush(tx: Executor, options?: { readonly wholeBlocks?: boolean }): Promise<void>
}

export function createIndexWriter(): IndexWriter {
  let held = new HeldParts()
  let listed = { rebuilds: 0, terms: new ListedTerms() }
  return {
    add(parts) {
      held.add(parts)
    },
    get isFull() {
      return held.hasWholeBlock || held.postings > heldPostings
    },
    async flush(tx, { wholeBlocks = false } = {}) {
      await lockIndex(tx)
      const waiting = held
      held = wholeBlocks && waiting.hasWholeBlock ? waiting.takeRest() : new HeldParts()
      const { parts } = waiting
      const [first, last] = [parts[0], parts.at(-1)]
      if (!first || !last) return
      const { indexedTo, nextDoc, rebuilds } = await readIndexWatermark(tx)
      const isNext = first.firstDoc === indexedTo && parts.every((part, i) => followsOn(parts[i - 1], part))
      // Another process stored or indexed texts in between, so the missing ones are read from the database.
      // The same holds after a flush whose transaction failed: its spellings are not in the index.
      const isListed = isNext && listed.rebuilds === rebuilds
      if (!isListed) listed = { rebuilds, terms: new ListedTerms() }
      if (!isNext) return indexTexts(tx)
      await waiting.write(tx, indexedTo, listed.terms)
      await setIndexWatermark(tx, Math.min(endOf(last), nextDoc))
    },
  }
}

function endOf({ firstDoc, words }: IndexPart): number {
  return firstDoc + words.counts.length
}

function followsOn(before: IndexPart | undefined, part: IndexPart): boolean {
  return before === undefined || part.firstDoc === endOf(before)
}

/** The first document number of a library. */
const firstDocument = 1

class HeldParts {
  parts: IndexPart[] = []
  postings = 0

  add(parts: readonly IndexPart[]): void {
    for (const part of parts) {
      this.parts.push(part)
      this.postings += part.words.postings.length
    }
  }

  get hasWholeBlock(): boolean {
    const [first, last] = [this.parts[0], this.parts.at(-1)]
    return first !== undefined && last !== undefined && blockOf(endOf(last)) > blockOf(first.firstDoc)
  }

  /** Removes the documents of the last block, which is not complete, and returns them. */
  takeRest(): HeldParts {
    const rest = new HeldParts()
    const last = this.parts.at(-1)
    const start = last ? blockOf(endOf(last)) * blockSize : 0
    const kept: IndexPart[] = []
    for (const part of this.parts) {
      const count = Math.min(part.words.counts.length, Math.max(0, start - part.firstDoc))
      const [before, after] = splitPart(part, count)
      if (before.words.counts.length > 0) kept.push(before)
      if (after.words.counts.length > 0) rest.add([after])
    }
    this.parts = kept
    return rest
  }

  /** @param indexedTo the documents below it are in the index. */
  async write(tx: Executor, indexedTo: number, listed: ListedTerms): Promise<void> {
    for await (const rows of rowsByBlock(this.parts))
      await writeRows(tx, rows, indexedTo <= Math.max(firstDocument, rows.block * blockSize), listed)
  }
}

/** Splits a part after `count` documents. */
function splitPart(
  { firstDoc, words }: IndexPart,
  count: number,
): readonly [before: IndexPart, after: IndexPart] {
  const { counts, numbers, postings } = words
  let at = 0
  for (let text = 0; text < count; text += 1) at += counts[text] as number
  return [
    {
      firstDoc,
      words: {
        ...words,
        counts: counts.subarray(0, count),
        numbers: numbers.subarray(0, at),
        postings: postings.subarray(0, at),
      },
    },
    {
      firstDoc: firstDoc + count,
      words: {
        ...words,
        counts: counts.subarray(count),
        numbers: numbers.subarray(at),
        postings: postings.subarray(at),
      },
    },
  ]
}

/** Texts a page. */
const pageSize = 2_000

/** Indexes all stored texts that the index does not have yet. The caller holds the library lock. */
export async function indexTexts(tx: Executor): Promise<void> {
  await lockIndex(tx)
  const { indexedTo, nextDoc } = await readIndexWatermark(tx)
  let held = new HeldParts()
  let written = indexedTo
  const listed = new ListedTerms()
  for (let from = indexedTo; from < nextDoc; from += pageSize) {
    held.add(await partsFrom(tx, from))
    if (held.postings < heldPostings && from + pageSize < nextDoc) continue
    await held.write(tx, written, listed)
    written = from + pageSize
    held = new HeldParts()
  }
  await setIndexWatermark(tx, nextDoc)
}

/** Groups a page of texts into runs of consecutive document numbers. Removed texts leave gaps. */
async function partsFrom(tx: Executor, from: number): Promise<readonly IndexPart[]> {
  const page = await tx.execute<{ doc_id: number; text: string; ref: string; he_ref: string }>(sql`
    select t.doc_id, t.text, p.ref, p.he_ref from passage_texts t join passages p on p.id = t.passage_id
    where t.doc_id >= ${from} and t.doc_id < ${from + pageSize} order by t.doc_id`)
  const runs: { readonly firstDoc: number; readonly texts: TextToIndex[] }[] = []
  for (const { doc_id, text, ref, he_ref } of page.rows) {
    const run = runs.at(-1)
    const next = { text, headings: headingsOf({ ref, heRef: he_ref }) }
    if (run && doc_id === run.firstDoc + run.texts.length) run.texts.push(next)
    else runs.push({ firstDoc: doc_id, texts: [next] })
  }
  return runs.map(({ firstDoc, texts }) => ({ firstDoc, words: indexTermsOf(texts) }))
}
