import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { headingOf } from '../refs/grammar/refs.ts'
import type { PassageRange } from '../refs/ref-lookup.ts'
import type { PassageRow } from './passage-row.ts'
import { sourceUrlOf } from './source-url.ts'
import type { Passage } from './types.ts'

/** Columns of a passage for display. The statement continues with conditions on `t`, `p`, `v` and `w`. */
const passageColumns = sql`
  select t.doc_id, p.ref, p.he_ref, p.section_ref, p.ordinal, p.work_id, w.title as work, w.author, t.language,
    v.title as version, v.license, t.url, v.source_url as version_url, t.text
  from passage_texts t
  join passages p on p.id = t.passage_id
  join versions v on v.id = t.version_id
  join works w on w.id = p.work_id`

/** Loads the texts of search documents by number. Documents removed in the meantime are missing. */
export async function loadPassages(
  executor: Executor,
  docs: readonly number[],
): Promise<ReadonlyMap<number, PassageRow>> {
  const found = await executor.execute<PassageRow>(
    sql`${passageColumns} where t.doc_id = any(${sql.param(docs)}::int[])`,
  )
  return new Map(found.rows.map((row) => [row.doc_id, row]))
}

/** Loads the passages with exactly these refs, in all versions. */
export async function loadByRef(executor: Executor, refs: readonly string[]): Promise<readonly PassageRow[]> {
  const found = await executor.execute<PassageRow>(sql`${passageColumns}
    where p.ref = any(${sql.param(refs)}::text[]) order by p.ref, t.language desc, v.title`)
  return found.rows
}

/** Maximum number of passages per ref, each in all its versions. */
export const maxRangePassages = 60

/**
 * Loads the passages of a place in reading order, in all versions or those of one language, with `before` and `after`
 * neighbouring passages.
 */
export async function loadRange(
  executor: Executor,
  place: PassageRange,
  around: { readonly before: number; readonly after: number; readonly language?: string | undefined } = {
    before: 0,
    after: 0,
  },
): Promise<readonly PassageRow[]> {
  const first = place.first - around.before
  const last = Math.min(place.last, place.first + maxRangePassages - 1) + around.after
  const found = await executor.execute<PassageRow>(sql`${passageColumns}
    where p.work_id = ${place.workId} and p.ordinal between ${first} and ${last}
      ${around.language ? sql`and t.language = ${around.language}` : sql``}
    order by p.ordinal, t.language desc, v.title`)
  return found.rows
}

/** Loads the passages of several places, in all versions, with one statement, each once and in reading order. */
export async function loadRanges(
  executor: Executor,
  places: readonly PassageRange[],
): Promise<readonly PassageRow[]> {
  if (places.length === 0) return []
  const lasts = places.map(({ first, last }) => Math.min(last, first + maxRangePassages - 1))
  const found = await executor.execute<PassageRow>(sql`${passageColumns}
    join unnest(${sql.param(places.map(({ workId }) => workId))}::int[],
      ${sql.param(places.map(({ first }) => first))}::int[], ${sql.param(lasts)}::int[]) a (work_id, first, last)
      on p.work_id = a.work_id and p.ordinal between a.first and a.last
    order by p.ordinal, t.language desc, v.title`)
  return [...new Map(found.rows.map((row) => [row.doc_id, row])).values()]
}

export function toPassage(row: PassageRow): Passage {
  return {
    ref: row.ref,
    heRef: row.he_ref,
    work: row.work,
    title: headingOf(row.ref),
    author: row.author,
    language: row.language,
    version: row.version,
    license: row.license,
    url: sourceUrlOf(row),
    text: row.text,
  }
}
