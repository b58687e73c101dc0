import { asc, inArray, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { links } from '../../db/schema/index.ts'
import { withoutHebrewPiece, withoutPiece } from '../refs/grammar/pieces.ts'
import { firstPassagesAt } from './hebrew-refs.ts'

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
  const here = await firstPassagesAt(executor, [...links.values()].flat())
  const target = (ref: string): LinkTarget => {
    const found = here.get(ref)
    const isWhole = found !== undefined && withoutPiece(found.ref) === ref
    return { ref, heRef: isWhole ? withoutHebrewPiece(found.heRef) : '', isHere: found !== undefined }
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

/** Counts the places linked from or to each of these refs. A piece of a cut text has the links of the whole text. */
export async function countLinks(
  executor: Executor,
  refs: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const wanted = [...new Set(refs.flatMap((ref) => [ref, withoutPiece(ref)]))]
  const { rows } = await executor.execute<{ ref: string; places: number }>(sql`
    select r.ref, count(*)::int as places
    from unnest(${sql.param(wanted)}::text[]) r (ref)
      cross join lateral (
        select to_ref from links where from_ref = r.ref union select from_ref from links where to_ref = r.ref) o
    group by r.ref`)
  const counts = new Map(rows.map(({ ref, places }) => [ref, places]))
  return new Map(
    refs.flatMap((ref) => {
      const places = counts.get(ref) ?? counts.get(withoutPiece(ref))
      return places === undefined ? [] : [[ref, places] as const]
    }),
  )
}

/** A place linked with a passage, and how its text begins. */
export type LinkedPlace = {
  readonly ref: string
  /** Title of the work; empty when the library does not have the place. */
  readonly work: string
  /** What the source of the link calls it, such as `commentary`; may be empty. */
  readonly kind: string
  readonly isHere: boolean
  readonly language: string
  /** The first characters; empty when the library has no text there. */
  readonly beginning: string
}

/** Characters of a text that a list shows. */
export const beginningLength = 240

/** Maximum number of linked places that are listed. */
const maxLinkedPlaces = 100

/**
 * Lists the places linked from or to a passage: those with a text in the library first, by work and ref.
 * @param language the language in which their texts are shown where they have it.
 */
export async function linkedPlaces(
  executor: Executor,
  ref: string,
  language: string,
): Promise<readonly LinkedPlace[]> {
  const refs = [...new Set([ref, withoutPiece(ref)])]
  const { rows } = await executor.execute<LinkedPlace>(sql`
    select l.ref, coalesce(w.title, '') as work, l.kind, p.id is not null as "isHere",
      coalesce(t.language, '') as language, coalesce(left(t.text, ${beginningLength}), '') as beginning
    from (
      select ref, max(kind) as kind from (
        select to_ref as ref, kind from links where from_ref = any(${sql.param(refs)}::text[])
        union all
        select from_ref, kind from links where to_ref = any(${sql.param(refs)}::text[])) every
      group by ref) l
    left join lateral (
      select id, work_id from passages where ref = l.ref or section_ref = l.ref order by ordinal limit 1) p on true
    left join works w on w.id = p.work_id
    left join lateral (
      select language, text from passage_texts where passage_id = p.id
      order by language = ${language} desc, language limit 1) t on true
    order by p.id is null, w.title, l.ref limit ${maxLinkedPlaces}`)
  return rows
}
