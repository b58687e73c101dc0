import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { copyRows } from '../../../db/copy.ts'
import { ServiceError } from '../../../errors.ts'
import type { PassageRef } from '../../index/passage-ref.ts'

/** Rows a statement. */
const batchRows = 2_000

/**
 * Writes places of a work and orders all its places.
 * @returns passage ids by ref.
 * @throws ServiceError `invalid_value` when a ref belongs to another work.
 */
export async function savePassages(
  tx: Executor,
  workId: number,
  passages: readonly PassageRef[],
): Promise<ReadonlyMap<string, number>> {
  const present = await tx.execute<{ ref: string; section: string }>(sql`
    select p.ref, p.section_ref as section from passages p
    where p.work_id = ${workId} and exists (select 1 from passage_texts t where t.passage_id = p.id)
    order by p.ordinal`)
  const order = mergeOrder(
    present.rows,
    passages.map((place) => ({ ref: place.ref, section: place.sectionRef })),
  )
  await tx.execute(sql`
    update passages p set ordinal = t.ordinal
    from unnest(${sql.param(order)}::text[]) with ordinality as t (ref, ordinal)
    where p.ref = t.ref and p.work_id = ${workId} and p.ordinal <> t.ordinal`)
  const ordinals = new Map(order.map((ref, index) => [ref, index + 1]))
  const known = await tx.execute(sql`select 1 from passages where work_id = ${workId} limit 1`)
  const ids =
    known.rows.length === 0
      ? await insertPassages(tx, workId, passages, ordinals)
      : await upsertPassages(tx, workId, passages, ordinals)
  const foreign = passages.find((place) => !ids.has(place.ref))
  if (foreign) {
    throw new ServiceError(
      'invalid_value',
      `The ref "${foreign.ref}" belongs to another work of the library. Give the passage another ref, or remove that work first.`,
    )
  }
  return ids
}

const passagesTable = {
  table: 'passages',
  columns: [
    ['id', 'int8'],
    ['work_id', 'int4'],
    ['ref', 'text'],
    ['he_ref', 'text'],
    ['section_ref', 'text'],
    ['ordinal', 'int4'],
  ],
} as const

/**
 * Adds the places of a work that has none. If a ref belongs to another work, it writes nothing, and the caller
 * reports the ref.
 */
async function insertPassages(
  tx: Executor,
  workId: number,
  passages: readonly PassageRef[],
  ordinals: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const refs = passages.map((place) => place.ref)
  const taken = await tx.execute<{ ref: string }>(
    sql`select ref from passages where ref = any(${sql.param(refs)}::text[]) limit 1`,
  )
  const foreign = taken.rows[0]?.ref
  if (foreign !== undefined) return new Map(refs.filter((ref) => ref !== foreign).map((ref) => [ref, 0]))
  const given = await tx.execute<{ id: string }>(
    sql`select nextval(pg_get_serial_sequence('passages', 'id')) as id from generate_series(1, ${passages.length}::int)`,
  )
  const ids = new Map(refs.map((ref, i) => [ref, Number(given.rows[i]?.id)]))
  await copyRows(
    tx,
    passagesTable,
    passages.map(({ ref, heRef, sectionRef }) => [
      ids.get(ref) ?? 0,
      workId,
      ref,
      heRef,
      sectionRef,
      ordinals.get(ref) ?? 0,
    ]),
  )
  return ids
}

/** Adds new places to a work and updates known ones. */
async function upsertPassages(
  tx: Executor,
  workId: number,
  passages: readonly PassageRef[],
  ordinals: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>()
  for (let from = 0; from < passages.length; from += batchRows) {
    const batch = passages.slice(from, from + batchRows)
    const saved = await tx.execute<{ id: string; ref: string }>(sql`
      insert into passages as p (work_id, ref, he_ref, section_ref, ordinal)
      select ${workId}, t.* from unnest(
        ${sql.param(batch.map((p) => p.ref))}::text[], ${sql.param(batch.map((p) => p.heRef))}::text[],
        ${sql.param(batch.map((p) => p.sectionRef))}::text[], ${sql.param(batch.map((p) => ordinals.get(p.ref) ?? 0))}::int[]) t
      on conflict (ref) do update
        set he_ref = coalesce(nullif(excluded.he_ref, ''), p.he_ref), section_ref = excluded.section_ref
        where p.work_id = excluded.work_id
      returning id, ref`)
    for (const row of saved.rows) ids.set(row.ref, Number(row.id))
  }
  return ids
}

/** A ref with the ref of the level above. */
type Ordered = { readonly ref: string; readonly section: string }

/**
 * Inserts new refs into `known`, each next to the ref that it follows or precedes in `incoming`. An edition that
 * divides a section differently shares no ref with it; its places then follow the last place of that section.
 */
export function mergeOrder(known: readonly Ordered[], incoming: readonly Ordered[]): readonly string[] {
  const sections = new Map(known.map(({ ref, section }) => [ref, section]))
  const shared = new Set(incoming.flatMap(({ ref }) => sections.get(ref) ?? []))
  const ends = endsOfSections(known)
  const preceding = new Map<string, string[]>()
  const following = new Map<string, string[]>()
  let waiting: string[] = []
  let anchor = ''
  for (const { ref, section } of incoming) {
    const follows = sections.get(anchor) === section
    if (sections.has(ref)) {
      preceding.set(ref, waiting)
      waiting = []
      anchor = ref
    } else if (!follows && shared.has(section)) waiting.push(ref)
    else {
      if (!follows) anchor = ends.get(section) ?? ends.get(ref) ?? anchor
      append(following, anchor, ref)
    }
  }
  const beside = (list: ReadonlyMap<string, readonly string[]>, ref: string) => list.get(ref) ?? []
  return [
    ...beside(following, ''),
    ...known.flatMap(({ ref }) => [...beside(preceding, ref), ref, ...beside(following, ref)]),
    ...waiting,
  ]
}

function append(lists: Map<string, string[]>, key: string, ref: string): void {
  const list = lists.get(key)
  if (list) list.push(ref)
  else lists.set(key, [ref])
}

/** The last place of each section. A text without parts is its own end. */
function endsOfSections(known: readonly Ordered[]): ReadonlyMap<string, string> {
  const ends = new Map<string, string>(known.map(({ ref }) => [ref, ref]))
  for (const { ref, section } of known) ends.set(section, ref)
  return ends
}

/** Deletes places that have no text. */
export async function deleteEmptyPassages(tx: Executor, workId: number): Promise<void> {
  await tx.execute(sql`
    delete from passages p
    where p.work_id = ${workId} and not exists (select 1 from passage_texts t where t.passage_id = p.id)`)
}
