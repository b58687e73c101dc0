import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'

/** A heading that equals a name or ends with it. `title`: its work. */
export type HeadingEntry = { readonly ref: string; readonly title: string }

/**
 * Finds the names that are a heading of the library or the end of one, such as entries of an encyclopedia, by their
 * index. One statement.
 */
export async function inHeadings(
  executor: Executor,
  names: readonly (readonly string[])[],
): Promise<ReadonlyMap<number, HeadingEntry>> {
  const rows = names.flatMap((all, i) =>
    all.flatMap((name) => [headingKey(name), looseHeadingKey(name)].map((key) => ({ i, key }))),
  )
  if (rows.length === 0) return new Map()
  const found = await executor.execute<HeadingEntry & { number: number }>(sql`
    select distinct on (k.number) k.number, h.first_ref as ref, w.title
    from unnest(${sql.param(rows.map(({ i }) => i))}::int[],
        ${sql.param(rows.map(({ key }) => key))}::text[]) k (number, key)
      join headings h on h.key = k.key or right(h.key, length(ltrim(k.key, '~')) + 1) = ' ' || ltrim(k.key, '~')
      join works w on w.id = h.work_id
    order by k.number, h.work_id, h.first_ref`)
  return new Map(found.rows.map(({ number, ref, title }) => [number, { ref, title }]))
}
