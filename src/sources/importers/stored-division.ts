import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'

/** For each ref, into how many pieces editions divide its text; 0 for a text that is whole. */
export type Division = ReadonlyMap<string, number>

/**
 * Reads into how many pieces other editions of a work divide its texts. The editions that an import replaces do not
 * count.
 */
export async function storedDivision(
  tx: Executor,
  work: string,
  replaced: readonly { readonly language: string; readonly title: string }[],
): Promise<Division> {
  const [languages, titles] = [replaced.map(({ language }) => language), replaced.map(({ title }) => title)]
  const { rows } = await tx.execute<{ ref: string; pieces: number }>(sql`
    select regexp_replace(p.ref, ' §[0-9]+$', '') as ref,
      (count(*) filter (where p.ref ~ ' §[0-9]+$'))::int as pieces
    from passages p join works w on w.id = p.work_id
    where w.title = ${work} and exists (
      select 1 from passage_texts t join versions v on v.id = t.version_id
      where t.passage_id = p.id and (v.language, v.title) not in (
        select * from unnest(${sql.param(languages)}::text[], ${sql.param(titles)}::text[])))
    group by 1`)
  return new Map(rows.map(({ ref, pieces }) => [ref, pieces]))
}
