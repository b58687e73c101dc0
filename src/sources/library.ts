import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import { type OtherTitle, renamedHeadings, saveHeadings, saveOtherTitles } from './headings.ts'
import { type IndexWriter, removeFromIndex } from './index-writer.ts'
import { headingsOf } from './terms.ts'
import { normaliserVersion } from './tokens.ts'

export type WorkFacts = {
  readonly title: string
  readonly heTitle: string
  readonly author: string
  /** From general to special. */
  readonly categories: readonly string[]
}

/** A place in a work; the list of them gives the reading order. */
export type Place = { readonly ref: string; readonly heRef: string; readonly sectionRef: string }

export type VersionText = {
  readonly language: string
  readonly title: string
  readonly license: string
  readonly sourceUrl: string
  readonly machineMade: boolean
  /** The text at each ref that has one; every ref is among the places. */
  readonly texts: ReadonlyMap<string, string>
  /** Footnotes by ref. */
  readonly notes?: ReadonlyMap<string, readonly string[]>
}

export type WorkImport = {
  readonly work: WorkFacts
  readonly places: readonly Place[]
  readonly versions: readonly VersionText[]
  /** Other titles of the work and its headings, when the source tells. */
  readonly otherTitles?: readonly OtherTitle[]
}

export type Stored = {
  /** Versions written; those that were there already with the same content are not counted. */
  readonly versions: number
  /** Texts written. */
  readonly passages: number
}

const libraryLock = 7_203_115_003n

/**
 * Makes this transaction the only one that writes the library, until it ends. Waits for its turn however long the
 * import before it takes; readers are never held up.
 */
export async function lockLibrary(tx: Executor): Promise<void> {
  await tx.execute(sql`set local lock_timeout = 0`)
  await tx.execute(sql`set local statement_timeout = 0`)
  await tx.execute(sql`set local idle_in_transaction_session_timeout = '5min'`)
  await tx.execute(sql`select pg_advisory_xact_lock(${libraryLock})`)
}

/** Rows a statement. */
const batchRows = 2_000

/**
 * Writes versions of one work with their index. A version that is there with another content is replaced; one with
 * the same content is left alone. The caller holds `lockLibrary` in this transaction, gives every work at most once to
 * a writer, and flushes the writer before it commits.
 * @throws ServiceError `invalid_value` when a ref belongs to another work.
 */
export async function storeWork(tx: Executor, incoming: WorkImport, index: IndexWriter): Promise<Stored> {
  const workId = await saveWork(tx, incoming.work)
  const known = await tx.execute<{ id: number; language: string; title: string; hash: string }>(
    sql`select id, language, title, content_hash as hash from versions where work_id = ${workId}`,
  )
  const changed = incoming.versions.flatMap((version) => {
    const hash = contentHash(version, incoming.places)
    const old = known.rows.find((row) => row.language === version.language && row.title === version.title)
    return old?.hash === hash ? [] : [{ version, hash, replaces: old?.id }]
  })
  if (changed.length === 0) {
    if (incoming.otherTitles) await saveOtherTitles(tx, workId, incoming.otherTitles)
    return { versions: 0, passages: 0 }
  }
  const renamed = await renamedHeadings(tx, workId, incoming)
  for (const { replaces } of changed) if (replaces !== undefined) await dropVersion(tx, replaces)
  const ids = await savePlaces(tx, workId, incoming.places)
  const places = new Map(incoming.places.map((place) => [place.ref, place]))
  let passages = 0
  for (const { version, hash } of changed)
    passages += await saveVersion(tx, workId, { version, hash, ids, places, index })
  await dropEmptyPlaces(tx, workId)
  await saveHeadings(tx, workId, renamed)
  if (incoming.otherTitles) await saveOtherTitles(tx, workId, incoming.otherTitles)
  return { versions: changed.length, passages }
}

/**
 * Removes a work with its texts and its part of the index. The caller holds `lockLibrary`.
 * @returns false when there is no such work.
 */
export async function removeWork(tx: Executor, title: string): Promise<boolean> {
  const found = await tx.execute<{ id: number }>(sql`select id from works where title = ${title}`)
  const workId = found.rows[0]?.id
  if (workId === undefined) return false
  const owned = await tx.execute<{ id: number }>(sql`select id from versions where work_id = ${workId}`)
  for (const version of owned.rows) await dropVersion(tx, version.id)
  // A line that was cut into passages has its links at the ref above them.
  await tx.execute(sql`
    delete from links where from_ref in (
      select ref from passages where work_id = ${workId}
      union select section_ref from passages where work_id = ${workId})`)
  await tx.execute(sql`delete from works where id = ${workId}`)
  return true
}

function contentHash(version: VersionText, places: readonly Place[]): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([version.license, version.sourceUrl, version.machineMade]))
  for (const place of places) {
    const text = version.texts.get(place.ref)
    if (text === undefined) continue
    const notes = version.notes?.get(place.ref) ?? []
    // Without notes the hash is what it was before notes were part of it: nothing is imported anew for that.
    hash.update(JSON.stringify([place.ref, place.heRef, text, ...(notes.length > 0 ? [notes] : [])]))
  }
  return hash.digest('hex')
}

/** What is empty in an import never erases what is known. */
async function saveWork(tx: Executor, work: WorkFacts): Promise<number> {
  const saved = await tx.execute<{ id: number }>(sql`
    insert into works as w (title, he_title, author, categories)
    values (${work.title}, ${work.heTitle}, ${work.author}, ${sql.param(work.categories)}::text[])
    on conflict (title) do update set
      he_title = coalesce(nullif(excluded.he_title, ''), w.he_title),
      author = coalesce(nullif(excluded.author, ''), w.author),
      categories = case when excluded.categories = '{}' then w.categories else excluded.categories end
    returning id`)
  return saved.rows[0]?.id ?? 0
}

async function dropVersion(tx: Executor, versionId: number): Promise<void> {
  const texts = await tx.execute<{ doc_id: number; text: string; ref: string; he_ref: string }>(sql`
    select t.doc_id, t.text, p.ref, p.he_ref from passage_texts t join passages p on p.id = t.passage_id
    where t.version_id = ${versionId}`)
  await removeFromIndex(
    tx,
    texts.rows.map(({ doc_id, text, ref, he_ref }) => ({
      docId: doc_id,
      text,
      headings: headingsOf({ ref, heRef: he_ref }),
    })),
  )
  await tx.execute(sql`delete from versions where id = ${versionId}`)
}

async function savePlaces(
  tx: Executor,
  workId: number,
  places: readonly Place[],
): Promise<ReadonlyMap<string, number>> {
  const present = await tx.execute<{ ref: string }>(sql`
    select p.ref from passages p
    where p.work_id = ${workId} and exists (select 1 from passage_texts t where t.passage_id = p.id)
    order by p.ordinal`)
  const order = mergeOrder(
    present.rows.map((row) => row.ref),
    places.map((place) => place.ref),
  )
  await tx.execute(sql`
    update passages p set ordinal = t.ordinal
    from unnest(${sql.param(order)}::text[]) with ordinality as t (ref, ordinal)
    where p.ref = t.ref and p.work_id = ${workId} and p.ordinal <> t.ordinal`)
  const ordinals = new Map(order.map((ref, index) => [ref, index + 1]))
  const ids = new Map<string, number>()
  for (let from = 0; from < places.length; from += batchRows) {
    const batch = places.slice(from, from + batchRows)
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
  const foreign = places.find((place) => !ids.has(place.ref))
  if (foreign) {
    throw new ServiceError(
      'invalid_value',
      `The ref "${foreign.ref}" belongs to another work of the library: give it another ref, or remove that work first.`,
    )
  }
  return ids
}

/** `known` with each new ref after the one that it follows in `incoming`. */
export function mergeOrder(known: readonly string[], incoming: readonly string[]): readonly string[] {
  const isKnown = new Set(known)
  const following = new Map<string, string[]>()
  let anchor = ''
  for (const ref of incoming) {
    if (isKnown.has(ref)) anchor = ref
    else {
      const list = following.get(anchor)
      if (list) list.push(ref)
      else following.set(anchor, [ref])
    }
  }
  return [...(following.get('') ?? []), ...known.flatMap((ref) => [ref, ...(following.get(ref) ?? [])])]
}

type VersionToSave = {
  readonly version: VersionText
  readonly hash: string
  readonly ids: ReadonlyMap<string, number>
  readonly places: ReadonlyMap<string, Place>
  readonly index: IndexWriter
}

async function saveVersion(
  tx: Executor,
  workId: number,
  { version, hash, ids, places, index }: VersionToSave,
): Promise<number> {
  const texts = [...version.texts]
  const firstDoc = await takeDocuments(tx, texts.length)
  const saved = await tx.execute<{ id: number }>(sql`
    insert into versions (work_id, language, title, license, source_url, machine_made, content_hash, first_doc, doc_count)
    values (${workId}, ${version.language}, ${version.title}, ${version.license}, ${version.sourceUrl},
      ${version.machineMade}, ${hash}, ${firstDoc}, ${texts.length})
    returning id`)
  const versionId = saved.rows[0]?.id ?? 0
  let words = 0
  for (let from = 0; from < texts.length; from += batchRows) {
    const batch = texts.slice(from, from + batchRows)
    const writing = tx
      .execute(sql`
      insert into passage_texts (passage_id, version_id, language, doc_id, text, notes)
      select t.passage_id, ${versionId}, ${version.language}, t.doc_id, t.text, t.notes from unnest(
        ${sql.param(batch.map(([ref]) => ids.get(ref)))}::bigint[], ${sql.param(batch.map((_, i) => firstDoc + from + i))}::int[],
        ${sql.param(batch.map(([, text]) => text))}::text[],
        ${sql.param(batch.map(([ref]) => JSON.stringify(version.notes?.get(ref) ?? [])))}::jsonb[])
        as t (passage_id, doc_id, text, notes)`)
      .then(() => undefined)
    // A plain promise: a query itself begins anew at every `then`. It is awaited below; until then a failure must not count as unhandled.
    writing.catch(() => undefined)
    // Once the statement is sent, the database works on it beside this program.
    await setImmediate()
    for (const [i, [ref, text]] of batch.entries()) {
      const headings = headingsOf(places.get(ref) ?? { ref, heRef: '' })
      words += index.add({ docId: firstDoc + from + i, text, headings })
    }
    await writing
    if (index.isFull) await index.flush(tx)
  }
  await tx.execute(sql`update versions set word_count = ${words} where id = ${versionId}`)
  return texts.length
}

/** Takes `count` document numbers that were never in use; also notes which normaliser makes the index. */
async function takeDocuments(tx: Executor, count: number): Promise<number> {
  const taken = await tx.execute<{ next: string }>(sql`
    insert into library_state as s (key, value) values ('next_doc', ${String(1 + count)})
    on conflict (key) do update set value = (s.value::bigint + ${count})::text
    returning value as next`)
  await tx.execute(sql`
    insert into library_state (key, value) values ('normaliser', ${String(normaliserVersion)})
    on conflict (key) do nothing`)
  return Number(taken.rows[0]?.next) - count
}

async function dropEmptyPlaces(tx: Executor, workId: number): Promise<void> {
  await tx.execute(sql`
    delete from passages p
    where p.work_id = ${workId} and not exists (select 1 from passage_texts t where t.passage_id = p.id)`)
}
