import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { copyRows } from '../../db/copy.ts'
import { inflectionClasses } from '../text/inflections.ts'
import { TimeSlices } from '../text/time-slices.ts'
import { skeletonOf } from '../text/tokens.ts'
import { PairBuckets } from './spelling-pairs.ts'

/** Rows a statement. */
const batchRows = 5_000

/** Terms between two looks at the clock. */
const termsAStep = 500

const spellingsTable = {
  table: 'search_spelling_buckets',
  columns: ['bucket', 'block', 'pairs'],
} as const

/** The pairs of each bucket that has any. */
type SpellingRows = ReturnType<PairBuckets['rows']>

/** Terms that are remembered: about 60 MB. A library of 5,000,000 segments has more. */
const maxListed = 600_000

/**
 * The terms whose spellings a writer has stored, so that it need not list them in every block. Searches read the rows
 * of all blocks, and removing a text keeps them.
 */
export class ListedTerms {
  #terms = new Set<string>()

  /** Adds terms, and returns those that it did not have. */
  add(terms: readonly string[]): readonly string[] {
    if (this.#terms.size > maxListed) this.#terms = new Set()
    const before = this.#terms
    const added = terms.filter((term) => !before.has(term))
    for (const term of added) before.add(term)
    return added
  }
}

/**
 * Stores new terms of a block under their spelling and inflection classes. A block has some 700,000 pairs of a class
 * and a term; a row for each would take half of the time of an import.
 * @param isNew whether the index has nothing of this block yet.
 */
export async function writeSpellings(
  tx: Executor,
  block: number,
  rows: SpellingRows,
  isNew: boolean,
): Promise<void> {
  if (!isNew) return appendPairs(tx, block, rows)
  await copyRows(tx, spellingsTable, rows.length, (writer, i) => {
    const row = rows[i] as (typeof rows)[number]
    writer.int4(row.bucket)
    writer.int4(block)
    writer.bytes(row.pairs, 0, row.pairs.length)
  })
}

/** Groups the spelling and inflection classes of terms by bucket. The event loop runs in between. */
export async function spellingRowsOf(terms: readonly string[]): Promise<SpellingRows> {
  const pairs = new PairBuckets()
  const slices = new TimeSlices()
  for (let from = 0; from < terms.length; from += termsAStep) {
    await slices.pause()
    addPairs(pairs, terms, from, Math.min(terms.length, from + termsAStep))
  }
  return pairs.rows()
}

/** V8 optimises this loop later within an asynchronous function. */
function addPairs(pairs: PairBuckets, terms: readonly string[], from: number, to: number): void {
  for (let i = from; i < to; i += 1) {
    const term = terms[i] as string
    const skeleton = skeletonOf(term)
    if (skeleton !== undefined) pairs.add(skeleton, term)
    for (const name of inflectionClasses(term)) pairs.add(name, term)
  }
}

async function appendPairs(tx: Executor, block: number, rows: SpellingRows): Promise<void> {
  for (let from = 0; from < rows.length; from += batchRows) {
    const batch = rows.slice(from, from + batchRows)
    await tx.execute(sql`
      insert into search_spelling_buckets as s (bucket, block, pairs)
      select t.bucket, ${block}::int, t.pairs
      from unnest(${sql.param(batch.map(({ bucket }) => bucket))}::int[],
        ${sql.param(batch.map(({ pairs }) => pairs.toString('utf8')))}::text[]) as t (bucket, pairs)
      on conflict (bucket, block) do update set pairs = s.pairs || excluded.pairs`)
  }
}
