import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { bucketOf } from '../../index/spelling-pairs.ts'

/** A term and the number of documents that have it. */
export type TermRow = { readonly term: string; readonly documents: number }

/** Maximum number of forms per class; hostile input could have created thousands. */
const maxForms = 64

/**
 * Reads the forms of each class, most frequent first. The lines of the buckets are searched here: at 1,000,000 passages
 * a class has 17 rows of some 45 lines, and to split them took Postgres most of the time of a search.
 */
export async function findClasses(
  executor: Executor,
  classes: readonly string[],
): Promise<ReadonlyMap<string, readonly TermRow[]>> {
  const buckets = [...new Set(classes.map(bucketOf))]
  const stored = await executor.execute<{ bucket: number; pairs: string }>(
    sql`select bucket, pairs from search_spelling_buckets where bucket = any(${sql.param(buckets)}::int[])`,
  )
  const rows = Map.groupBy(stored.rows, ({ bucket }) => bucket)
  const members = new Map(
    classes.map((name) => {
      const lists = rows.get(bucketOf(name)) ?? []
      return [name, new Set(lists.flatMap(({ pairs }) => termsIn(pairs, name)))] as const
    }),
  )
  const terms = [...new Set([...members.values()].flatMap((of) => [...of]))]
  const { rows: counted } = await executor.execute<TermRow>(sql`
    select term, sum(documents)::int as documents from search_postings
    where term = any(${sql.param(terms)}::text[]) group by term order by documents desc, term`)
  return new Map(
    [...members].map(([name, of]) => [name, counted.filter(({ term }) => of.has(term)).slice(0, maxForms)]),
  )
}

/** The terms of a class in the lines of a bucket, which have a class, a tab and a term. */
function termsIn(pairs: string, name: string): readonly string[] {
  const terms: string[] = []
  const wanted = `${name}\t`
  for (let at = pairs.indexOf(wanted); at >= 0; at = pairs.indexOf(wanted, at + wanted.length)) {
    // Another class may end with this one.
    if (at > 0 && pairs[at - 1] !== '\n') continue
    const end = pairs.indexOf('\n', at)
    terms.push(pairs.slice(at + wanted.length, end < 0 ? undefined : end))
  }
  return terms
}
