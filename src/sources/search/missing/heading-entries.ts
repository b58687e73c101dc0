import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'

/**
 * Returns the indexes of names that are a heading of the library or the end of one, such as entries of an
 * encyclopedia. One statement.
 */
export async function inHeadings(
  executor: Executor,
  names: readonly (readonly string[])[],
): Promise<ReadonlySet<number>> {
  const rows = names.flatMap((all, i) =>
    all.flatMap((name) => [headingKey(name), looseHeadingKey(name)].map((key) => ({ i, key }))),
  )
  if (rows.length === 0) return new Set()
  const found = await executor.execute<{ number: number }>(sql`
    select distinct k.number from unnest(${sql.param(rows.map(({ i }) => i))}::int[],
      ${sql.param(rows.map(({ key }) => key))}::text[]) k (number, key)
    where exists (
      select 1 from headings h where h.key = k.key or right(h.key, length(ltrim(k.key, '~')) + 1) = ' ' || ltrim(k.key, '~'))`)
  return new Set(found.rows.map(({ number }) => number))
}
