import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { copyRows } from '../../db/copy.ts'
import { inflectionClasses } from './inflections.ts'
import { skeletonOf } from './tokens.ts'

/** Rows a statement. */
const batchRows = 5_000

const spellingsTable = {
  table: 'search_spellings',
  columns: [
    ['skeleton', 'text'],
    ['term', 'text'],
  ],
} as const

/**
 * Stores terms under their spelling and inflection classes. `terms` may contain terms that are already stored or that
 * no text has; neither does harm.
 */
export async function writeSpellings(tx: Executor, terms: readonly string[]): Promise<void> {
  const classed = terms
    .flatMap((term) => {
      const skeleton = skeletonOf(term)
      const classes = inflectionClasses(term)
      return [...(skeleton === undefined ? classes : [skeleton, ...classes])].map(
        (one) => [one, term] as const,
      )
    })
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const any = await tx.execute(sql`select 1 from search_spellings limit 1`)
  if (any.rows.length === 0) return copyRows(tx, spellingsTable, classed)
  for (let from = 0; from < classed.length; from += batchRows) {
    const batch = classed.slice(from, from + batchRows)
    await tx.execute(sql`
      insert into search_spellings (skeleton, term)
      select * from unnest(${sql.param(batch.map(([skeleton]) => skeleton))}::text[], ${sql.param(batch.map(([, term]) => term))}::text[])
      on conflict do nothing`)
  }
}
