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
  const ids = await upsertPassages(tx, workId, passages, ordinals)
  const foreign = passages.find((place) => !ids.has(place.ref))
  if (foreign) throw foreignRef(foreign.ref)
  return ids
}

function foreignRef(ref: string): ServiceError {
  return new ServiceError(
    'invalid_value',
    `The ref "${ref}" belongs to another work of the library. Give the passage another ref, or remove that work first.`,
  )
}

const passagesTable = {
  table: 'passages',
  columns: ['id', 'work_id', 'ref', 'he_ref', 'section_ref', 'ordinal'],
} as const

/**
 * Adds the places of a work that has none, in their order.
 * @returns passage ids by ref.
 * @throws ServiceError `invalid_value` when a ref belongs to another work.
 */
export async function insertPassages(
  tx: Executor,
  workId: number,
  passages: readonly PassageRef[],
): Promise<ReadonlyMap<string, number>> {
  if (passages.length === 0) return new Map()
  const refs = passages.map((place) => place.ref)
  const taken = await tx.execute<{ ref: string }>(
    sql`select ref from passages where ref = any(${sql.param(refs)}::text[]) limit 1`,
  )
  const [foreign] = taken.rows
  if (foreign) throw foreignRef(foreign.ref)
  const first = await takeIds(tx, passages.length)
  await copyRows(tx, passagesTable, passages.length, (writer, i) => {
    const { ref, heRef, sectionRef } = passages[i] as PassageRef
    writer.int8(first + i)
    writer.int4(workId)
    writer.text(ref)
    writer.text(heRef)
    writer.text(sectionRef)
    writer.int4(i + 1)
  })
  return new Map(refs.map((ref, i) => [ref, first + i]))
}

/**
 * Reserves consecutive ids. Only the holder of the library lock takes any. `setval` would be one call, but needs a right
 * on the sequence that the service's role does not have.
 */
async function takeIds(tx: Executor, count: number): Promise<number> {
  const taken = await tx.execute<{ last: string }>(sql`
    select max(taken.id) as last
    from (select nextval(s) as id
      from pg_get_serial_sequence('passages', 'id') as s, generate_series(1, ${count}::int)) as taken`)
  return Number(taken.rows[0]?.last) - count + 1
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
