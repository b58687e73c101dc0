import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'

/** Consecutive places of one work. */
export type PlaceRange = { readonly workId: number; readonly first: number; readonly last: number }

/** The places that a ref names; undefined when the library has none. */
export async function resolveRef(executor: Executor, ref: string): Promise<PlaceRange | undefined> {
  const wanted = ref.trim().replaceAll('_', ' ')
  const found = await executor.execute<{ work_id: number; first: number; last: number }>(sql`
    select work_id, min(ordinal) as first, max(ordinal) as last from passages
    where ref = ${wanted} or section_ref = ${wanted} group by work_id limit 1`)
  const row = found.rows[0]
  return row && { workId: row.work_id, first: row.first, last: row.last }
}

/** Existing refs that a wrong one may have meant, the likeliest first. */
export async function nearestRefs(executor: Executor, ref: string): Promise<readonly string[]> {
  const heading = ref
    .trim()
    .replaceAll('_', ' ')
    .replace(/[\d:.\s]+$/, '')
  const found = await executor.execute<{ ref: string }>(sql`
    select ref from passages where starts_with(ref, ${heading}) order by ordinal desc limit 5`)
  return found.rows.map((row) => row.ref)
}
