import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { blockOf, blockSize, packPosting, readPostings, withoutDocuments, writePostings } from './postings.ts'
import { documentTerms } from './terms.ts'
import { skeletonOf } from './tokens.ts'

export type IndexedText = {
  readonly docId: number
  readonly text: string
  /** What it stands under, in each language. */
  readonly headings: readonly string[]
}

/** Rows a statement: large enough to make round trips rare, small enough to stay far from the statement timeout. */
const batchRows = 5_000

/** Postings held in memory before they are written: some 200 MB at worst. */
const heldPostings = 3_000_000

/** Gathers the postings of texts in memory: written together they are far fewer rows than one work at a time. */
export type IndexWriter = {
  /** Document numbers must rise, and be higher than any in the index. @returns the number of words in the text. */
  add(text: IndexedText): number
  /** True when the postings should be written before more are added. */
  readonly isFull: boolean
  /** Writes what is held. The caller holds the library lock, and flushes before it commits. */
  flush(tx: Executor): Promise<void>
}

export function createIndexWriter(): IndexWriter {
  const blocks = new Map<number, Map<string, number[]>>()
  let count = 0
  return {
    add({ docId, text, headings }) {
      const block = blockOf(docId)
      const held = blocks.get(block) ?? new Map<string, number[]>()
      blocks.set(block, held)
      const { frequencies, length } = documentTerms(text, headings)
      for (const [term, frequency] of frequencies) {
        const posting = packPosting(docId % blockSize, frequency, length)
        const list = held.get(term)
        if (list) list.push(posting)
        else held.set(term, [posting])
      }
      count += frequencies.size
      return length
    },
    get isFull() {
      return count > heldPostings
    },
    async flush(tx) {
      for (const [block, held] of blocks) await writeBlock(tx, block, held)
      blocks.clear()
      count = 0
    },
  }
}

async function writeBlock(tx: Executor, block: number, held: ReadonlyMap<string, number[]>): Promise<void> {
  // In order of terms: the pages of the primary key are then filled one after another.
  const terms = [...held.keys()].sort()
  for (let from = 0; from < terms.length; from += batchRows) {
    const batch = terms.slice(from, from + batchRows)
    const lists = batch.map((term) => held.get(term) ?? [])
    const saved = await tx.execute<{ term: string }>(sql`
      with saved as (
      insert into search_postings as p (term, block, documents, data)
      select t.term, ${block}, t.documents, t.data
      from unnest(${sql.param(batch)}::text[], ${sql.param(lists.map((l) => l.length))}::int[], ${sql.param(lists.map(writePostings))}::bytea[])
        as t (term, documents, data)
      on conflict (term, block) do update
        set documents = p.documents + excluded.documents, data = p.data || excluded.data
      returning p.term, p.xmax = 0 as is_new)
      select term from saved where is_new`)
    // A term that had a row has its spelling too.
    await writeSpellings(
      tx,
      saved.rows.map((row) => row.term),
    )
  }
}

async function writeSpellings(tx: Executor, terms: readonly string[]): Promise<void> {
  if (terms.length === 0) return
  const classed = terms.flatMap((term) => {
    const skeleton = skeletonOf(term)
    return skeleton === undefined ? [] : [{ term, skeleton }]
  })
  await tx.execute(sql`
    insert into search_spellings (skeleton, term)
    select * from unnest(${sql.param(classed.map((c) => c.skeleton))}::text[], ${sql.param(classed.map((c) => c.term))}::text[])
    on conflict do nothing`)
}

/**
 * Takes texts out of the index. What an older normaliser left behind stays and is ignored by searches, because
 * document numbers are never given again.
 */
export async function removeFromIndex(tx: Executor, texts: readonly IndexedText[]): Promise<void> {
  const byBlock = Map.groupBy(texts, (t) => blockOf(t.docId))
  for (const [block, inBlock] of byBlock) {
    const locals = inBlock.map((t) => t.docId % blockSize)
    const from = locals.reduce((a, b) => Math.min(a, b))
    const to = locals.reduce((a, b) => Math.max(a, b))
    const terms = [
      ...new Set(inBlock.flatMap((t) => [...documentTerms(t.text, t.headings).frequencies.keys()])),
    ]
    for (let at = 0; at < terms.length; at += batchRows) {
      await removeTerms(tx, block, terms.slice(at, at + batchRows), from, to)
    }
  }
}

async function removeTerms(
  tx: Executor,
  block: number,
  terms: readonly string[],
  from: number,
  to: number,
): Promise<void> {
  const found = await tx.execute<{ term: string; data: Buffer }>(
    sql`select term, data from search_postings where block = ${block} and term = any(${sql.param(terms)}::text[])`,
  )
  const kept = found.rows.map(({ term, data }) => {
    const postings = withoutDocuments(readPostings(data), from, to)
    return { term, documents: postings.length, data: Buffer.from(postings.buffer) }
  })
  await tx.execute(sql`
    update search_postings p set documents = t.documents, data = t.data
    from unnest(${sql.param(kept.map((k) => k.term))}::text[], ${sql.param(kept.map((k) => k.documents))}::int[], ${sql.param(kept.map((k) => k.data))}::bytea[])
      as t (term, documents, data)
    where p.block = ${block} and p.term = t.term`)
  const emptied = kept.filter((k) => k.documents === 0).map((k) => k.term)
  await tx.execute(
    sql`delete from search_postings where block = ${block} and term = any(${sql.param(emptied)}::text[])`,
  )
}
