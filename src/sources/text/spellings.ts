import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { copyRows } from '../../db/copy.ts'
import { inflectionClasses } from './inflections.ts'
import { skeletonOf } from './tokens.ts'

/** Terms a statement. */
const batchRows = 5_000

const spellingsTable = {
  table: 'search_spellings',
  columns: [
    ['skeleton', 'text'],
    ['term', 'text'],
  ],
} as const

type Spelling = { readonly skeleton: string; readonly term: string }

/**
 * Stores terms under their spelling and inflection classes. `terms` may contain terms that are already stored or that
 * no text has; neither does harm. Terms that are not stored are written with `COPY`, which takes half of the time of
 * an insert that looks for conflicts.
 * @param terms each once. The caller holds the library lock.
 */
export async function writeSpellings(tx: Executor, terms: readonly string[]): Promise<void> {
  for (let from = 0; from < terms.length; from += copiedTerms)
    await copySpellings(tx, terms.slice(from, from + copiedTerms))
}

/** Terms per `COPY`: enough for long runs of index pages, and few enough to need some 30 MB. */
const copiedTerms = 100_000

async function copySpellings(tx: Executor, terms: readonly string[]): Promise<void> {
  const classed = terms.map((term) => ({ term, classes: classesOf(term) }))
  const known = await storedTerms(tx, classed)
  const rows = classed
    .filter(({ term }) => !known.has(term))
    .flatMap(({ term, classes }) => classes.map((skeleton) => ({ skeleton, term })))
    .sort(inOrder)
  await copyRows(
    tx,
    spellingsTable,
    rows.values().map(({ skeleton, term }) => [skeleton, term]),
  )
}

function classesOf(term: string): readonly string[] {
  const skeleton = skeletonOf(term)
  const classes = inflectionClasses(term)
  return skeleton === undefined ? classes : [skeleton, ...classes]
}

/** Rows in the order of the primary key fill its pages one after another. */
function inOrder(a: Spelling, b: Spelling): number {
  if (a.skeleton !== b.skeleton) return a.skeleton < b.skeleton ? -1 : 1
  return a.term < b.term ? -1 : 1
}

/** The terms that are stored. All classes of a term are written together, so one of them tells. */
async function storedTerms(
  tx: Executor,
  classed: readonly { readonly term: string; readonly classes: readonly string[] }[],
): Promise<ReadonlySet<string>> {
  const stored = new Set<string>()
  const any = await tx.execute(sql`select 1 from search_spellings limit 1`)
  if (any.rows.length === 0) return stored
  for (let from = 0; from < classed.length; from += batchRows) {
    const batch = classed.slice(from, from + batchRows).filter(({ classes }) => classes.length > 0)
    const found = await tx.execute<{ term: string }>(sql`
      select s.term from unnest(${sql.param(batch.map(({ classes }) => classes[0]))}::text[],
        ${sql.param(batch.map(({ term }) => term))}::text[]) as t (skeleton, term)
      join search_spellings s on s.skeleton = t.skeleton and s.term = t.term`)
    for (const { term } of found.rows) stored.add(term)
  }
  return stored
}
