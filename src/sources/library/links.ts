import { asc, inArray, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { links } from '../../db/schema/index.ts'
import { withoutHebrewPiece, withoutPiece } from '../refs/grammar/pieces.ts'

/** Maximum number of targets per place. Some verses have thousands of links. */
const maxTargets = 20

/**
 * Reads the refs that each of these places cites, in a fixed order. A piece of a cut text has the links of the whole
 * text.
 */
export async function linksFrom(
  executor: Executor,
  refs: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (refs.length === 0) return new Map()
  const rows = await executor
    .select({ from: links.fromRef, to: links.toRef })
    .from(links)
    .where(inArray(links.fromRef, [...new Set(refs.flatMap((ref) => [ref, withoutPiece(ref)]))]))
    .orderBy(asc(links.fromRef), asc(links.toRef))
    .limit(maxTargets * refs.length)
  const targets = new Map<string, string[]>()
  for (const { from, to } of rows) {
    const list = targets.get(from) ?? []
    if (list.length < maxTargets) list.push(to)
    targets.set(from, list)
  }
  return new Map(
    refs.flatMap((ref) => {
      const own = targets.get(ref) ?? targets.get(withoutPiece(ref))
      return own ? [[ref, own] as const] : []
    }),
  )
}

/** A place that a passage links to. */
export type LinkTarget = {
  readonly ref: string
  /** Empty when unknown. */
  readonly heRef: string
  /** Whether the library has a text at this place. */
  readonly isHere: boolean
}

/** Reads the targets of each of these refs (see `linksFrom`), and whether the library has them. */
export async function targetsOf(
  executor: Executor,
  refs: readonly string[],
): Promise<ReadonlyMap<string, readonly LinkTarget[]>> {
  const links = await linksFrom(executor, refs)
  const wanted = [...new Set([...links.values()].flat())]
  if (wanted.length === 0) return new Map()
  const { rows } = await executor.execute<{ wanted: string; ref: string; he_ref: string }>(sql`
    select l.ref as wanted, p.ref, p.he_ref
    from unnest(${sql.param(wanted)}::text[]) as l (ref)
      cross join lateral (
        select ref, he_ref from passages where ref = l.ref or section_ref = l.ref order by ordinal limit 1) p`)
  const here = new Map(rows.map((row) => [row.wanted, row]))
  const target = (ref: string): LinkTarget => {
    const found = here.get(ref)
    const isWhole = found !== undefined && withoutPiece(found.ref) === ref
    return { ref, heRef: isWhole ? withoutHebrewPiece(found.he_ref) : '', isHere: found !== undefined }
  }
  return new Map([...links].map(([from, targets]) => [from, targets.map(target)]))
}

export type Parallel = {
  readonly ref: string
  readonly kind: string
  readonly direction: 'from' | 'to'
  /** Whether the library has a text at this ref. */
  readonly in_library: boolean
}

/** Finds places linked from or to these refs. Places with a text in the library come first. */
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
