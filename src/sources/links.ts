import { asc, inArray, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { links } from '../db/schema/index.ts'

/** Targets shown for one place at most: some verses are linked to thousands of times. */
const mostTargets = 20

/** The refs that each of these places points to (its primary texts, parallels), in a fixed order. */
export async function linksFrom(
  executor: Executor,
  refs: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (refs.length === 0) return new Map()
  const rows = await executor
    .select({ from: links.fromRef, to: links.toRef })
    .from(links)
    .where(inArray(links.fromRef, [...new Set(refs)]))
    .orderBy(asc(links.fromRef), asc(links.toRef))
    .limit(mostTargets * refs.length)
  const targets = new Map<string, string[]>()
  for (const { from, to } of rows) {
    const list = targets.get(from) ?? []
    if (list.length < mostTargets) list.push(to)
    targets.set(from, list)
  }
  return targets
}

export type Parallel = {
  readonly ref: string
  readonly kind: string
  readonly direction: 'from' | 'to'
  /** Whether the library has a text at that ref. */
  readonly in_library: boolean
}

/** The places that refs point to or that point to them, those with a text in the library first. */
export async function findParallels(
  executor: Executor,
  refs: readonly string[],
): Promise<readonly Parallel[]> {
  const { rows } = await executor.execute<Parallel>(sql`
    select l.*, exists (select 1 from passages p where p.ref = l.ref or p.section_ref = l.ref) as in_library
    from (
      select to_ref as ref, kind, 'to' as direction from links where from_ref = any(${sql.param(refs)}::text[])
      union
      select from_ref, kind, 'from' from links where to_ref = any(${sql.param(refs)}::text[])
    ) l
    order by in_library desc, ref limit 60`)
  return rows
}
