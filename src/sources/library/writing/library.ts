import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { copyRows } from '../../../db/copy.ts'
import { requireWritable } from '../../../db/library/library-database.ts'
import { ServiceError } from '../../../errors.ts'
import { indexTermsOf, textsToIndex } from '../../index/index-terms.ts'
import { lockIndex, readIndexWatermark } from '../../index/index-watermark.ts'
import { indexTexts } from '../../index/index-writer.ts'
import type { PassageRef } from '../../index/passage-ref.ts'
import type { IndexPart } from '../../index/posting-rows.ts'
import { removeFromIndex } from '../../index/stored-postings.ts'
import { headingsOf } from '../../index/terms.ts'
import type { Years } from '../../periods/composed.ts'
import { termsVersion } from '../../vocabulary/terms-version.ts'
import { type OtherTitle, renamedHeadings, saveHeadings, saveOtherTitles } from './headings.ts'
import { withKnownHebrewRefs } from './known-hebrew-refs.ts'
import { refuseLosses, refuseUnreadable } from './refused-texts.ts'
import { reheadedVersions } from './reheaded-versions.ts'
import { deleteEmptyPassages, insertPassages, savePassages } from './save-passages.ts'
import type { VersionText } from './version-text.ts'

export type WorkFacts = {
  readonly title: string
  readonly heTitle: string
  readonly author: string
  /** From general to specific. */
  readonly categories: readonly string[]
  /** When it was written, if the source says. */
  readonly composed?: Years | undefined
}

export type WorkImport = {
  readonly work: WorkFacts
  readonly places: readonly PassageRef[]
  readonly versions: readonly VersionText[]
  /** Alternative titles of the work and its headings, if the source has them. */
  readonly otherTitles?: readonly OtherTitle[]
  /** Refuses to replace a version by one that lacks passages of it. */
  readonly keepsPassages?: boolean
}

export type Stored = {
  /** Number of versions written. Unchanged versions are not counted. */
  readonly versions: number
  /** Texts written. */
  readonly passages: number
  /** Texts that still have to be indexed. */
  readonly parts: readonly IndexPart[]
  /** For each version of the import, in its order: its hash, and whether it was written. */
  readonly outcomes: readonly { readonly hash: string; readonly isWritten: boolean }[]
}

const libraryLock = 7_203_115_003n

/**
 * Makes this transaction the only writer of the library until it ends. It waits for the import before it. Readers are
 * never blocked.
 * @param maxWaitMs maximum wait; default: no limit.
 * @throws the database's error (lock_not_available) after `maxWaitMs`.
 */
export async function lockLibrary(tx: Executor, maxWaitMs = 0): Promise<void> {
  await requireWritable(tx)
  await tx.execute(sql`select set_config('lock_timeout', ${String(maxWaitMs)}, true)`)
  await tx.execute(sql`set local statement_timeout = 0`)
  await tx.execute(sql`set local idle_in_transaction_session_timeout = '5min'`)
  await tx.execute(sql`select pg_advisory_xact_lock(${libraryLock})`)
}

/**
 * Writes versions of one work. It replaces versions whose content changed and skips unchanged ones. The caller holds
 * `lockLibrary` in this transaction, and passes the parts to an index writer, before or after the commit.
 * @throws ServiceError `invalid_value` when a ref belongs to another work, when a text is unreadable, or when passages would
 *   be lost and `keepsPassages` is set.
 */
export async function storeWork(tx: Executor, given: WorkImport): Promise<Stored> {
  refuseUnreadable(given.versions)
  const { workId, isNew, isRetitled } = await saveWork(tx, given.work)
  if (isNew) return storeNewWork(tx, workId, given)
  const incoming = await withKnownHebrewRefs(tx, workId, given)
  const known = await tx.execute<{ id: number; language: string; title: string; hash: string }>(
    sql`select id, language, title, content_hash as hash from versions where work_id = ${workId}`,
  )
  const compared = incoming.versions.map((version) => {
    const hash = contentHash(version, incoming.places)
    const old = known.rows.find((row) => row.language === version.language && row.title === version.title)
    return { version, hash, replaces: old?.id, isWritten: old?.hash !== hash }
  })
  const outcomes = compared.map(({ hash, isWritten }) => ({ hash, isWritten }))
  const changed = compared.filter(({ isWritten }) => isWritten)
  if (changed.length === 0) {
    if (isRetitled) await saveHeadings(tx, workId)
    if (incoming.otherTitles) await saveOtherTitles(tx, workId, incoming.otherTitles)
    return { versions: 0, passages: 0, parts: [], outcomes }
  }
  for (const { version, replaces } of given.keepsPassages ? changed : [])
    if (replaces !== undefined) await refuseLosses(tx, replaces, version)
  const renamed = await renamedHeadings(tx, workId, incoming)
  const gone = changed.flatMap(({ replaces }) => replaces ?? [])
  const reheaded = await reheadedVersions(tx, workId, incoming.places, gone)
  for (const id of [...gone, ...reheaded.map((known) => known.id)]) await dropVersion(tx, id)
  const ids = await savePassages(tx, workId, incoming.places)
  const places = new Map(incoming.places.map((place) => [place.ref, place]))
  const parts: IndexPart[] = []
  for (const { version, hash } of changed)
    parts.push(await saveVersion(tx, workId, { version, hash, ids, places }))
  for (const known of reheaded) {
    parts.push(
      await saveVersion(tx, workId, {
        version: known.version,
        hash: contentHash(known.version, known.places),
        ids: await savePassages(tx, workId, known.places),
        places: new Map(known.places.map((place) => [place.ref, place])),
      }),
    )
  }
  await deleteEmptyPassages(tx, workId)
  await saveHeadings(tx, workId, renamed)
  if (incoming.otherTitles) await saveOtherTitles(tx, workId, incoming.otherTitles)
  const passages = changed.reduce((sum, { version }) => sum + version.texts.size, 0)
  return { versions: changed.length, passages, parts, outcomes }
}

/** Like `storeWork` for a work that has nothing yet: there is nothing to compare, to merge or to delete. */
async function storeNewWork(tx: Executor, workId: number, incoming: WorkImport): Promise<Stored> {
  const { versions, otherTitles } = incoming
  if (versions.length === 0) return { versions: 0, passages: 0, parts: [], outcomes: [] }
  const refs = new Set(versions.flatMap(({ texts }) => [...texts.keys()]))
  const all = incoming.places.filter(({ ref }) => refs.has(ref))
  const ids = await insertPassages(tx, workId, all)
  const places = new Map(all.map((place) => [place.ref, place]))
  const parts: IndexPart[] = []
  const outcomes: { hash: string; isWritten: boolean }[] = []
  for (const version of versions) {
    const hash = contentHash(version, incoming.places)
    outcomes.push({ hash, isWritten: true })
    parts.push(await saveVersion(tx, workId, { version, hash, ids, places }))
  }
  const ordered = all.map((place, i) => ({ ...place, ordinal: i + 1 }))
  await saveHeadings(tx, workId, new Map(), ordered)
  if (otherTitles) await saveOtherTitles(tx, workId, otherTitles)
  const passages = versions.reduce((sum, { texts }) => sum + texts.size, 0)
  return { versions: versions.length, passages, parts, outcomes }
}

/**
 * Removes a work with its texts and index entries. The caller holds `lockLibrary`.
 * @returns false when there is no such work.
 */
export async function removeWork(tx: Executor, title: string): Promise<boolean> {
  const found = await tx.execute<{ id: number }>(sql`select id from works where title = ${title}`)
  const workId = found.rows[0]?.id
  if (workId === undefined) return false
  const owned = await tx.execute<{ id: number }>(sql`select id from versions where work_id = ${workId}`)
  for (const version of owned.rows) await dropVersion(tx, version.id)
  // A line that was cut into passages has its links at its own ref, which is the passages' section.
  await tx.execute(sql`
    delete from links where from_ref in (
      select ref from passages where work_id = ${workId}
      union select section_ref from passages where work_id = ${workId})`)
  await tx.execute(sql`delete from works where id = ${workId}`)
  return true
}

/**
 * Removes versions of a work: those with this title, in one language if it is given. The caller holds `lockLibrary`.
 * @returns the number of removed versions.
 * @throws ServiceError `invalid_value` when no version would be left.
 */
export async function removeVersion(
  tx: Executor,
  work: string,
  { title, language }: { readonly title: string; readonly language: string | undefined },
): Promise<number> {
  const { rows } = await tx.execute<{ id: number; work_id: number; title: string; language: string }>(sql`
    select v.id, v.work_id, v.title, v.language from versions v join works w on w.id = v.work_id
    where w.title = ${work}`)
  const chosen = rows.filter((row) => row.title === title && (language ?? row.language) === row.language)
  const [first] = chosen
  if (!first) return 0
  if (chosen.length === rows.length) {
    throw new ServiceError(
      'invalid_value',
      `"${work}" has no other version. To remove the work, leave out --version.`,
    )
  }
  for (const { id } of chosen) await dropVersion(tx, id)
  await deleteEmptyPassages(tx, first.work_id)
  await saveHeadings(tx, first.work_id)
  return chosen.length
}

/**
 * Characters that are hashed at once: a call per text takes longer than the hash, and the hash converts a string of
 * Hebrew in twice the time of `Buffer.from`.
 */
const hashedAtOnce = 65_536

function contentHash(version: VersionText, places: readonly PassageRef[]): string {
  const hash = createHash('sha256')
  let waiting = JSON.stringify([version.license, version.sourceUrl, version.machineMade])
  for (const place of places) {
    const text = version.texts.get(place.ref)
    if (text === undefined) continue
    const notes = version.notes?.get(place.ref) ?? []
    const url = version.urls?.get(place.ref) ?? ''
    // Leaving out empty notes and URLs keeps hashes equal to those of older versions, so nothing is imported
    // again.
    const more = [...(notes.length > 0 || url !== '' ? [notes] : []), ...(url === '' ? [] : [url])]
    waiting += JSON.stringify([place.ref, place.heRef, text, ...more])
    if (waiting.length < hashedAtOnce) continue
    hash.update(Buffer.from(waiting))
    waiting = ''
  }
  return hash.update(Buffer.from(waiting)).digest('hex')
}

/** Stores the properties of a work. Empty values in an import do not erase known ones. */
async function saveWork(
  tx: Executor,
  work: WorkFacts,
): Promise<{ readonly workId: number; readonly isNew: boolean; readonly isRetitled: boolean }> {
  const known = await tx.execute<{ title: string }>(
    sql`select he_title as title from works where title = ${work.title}`,
  )
  const saved = await tx.execute<{ id: number }>(sql`
    insert into works as w (title, he_title, author, categories, composed_from, composed_to)
    values (${work.title}, ${work.heTitle}, ${work.author}, ${sql.param(work.categories)}::text[],
      ${work.composed?.from ?? null}, ${work.composed?.to ?? null})
    on conflict (title) do update set
      he_title = coalesce(nullif(excluded.he_title, ''), w.he_title),
      author = coalesce(nullif(excluded.author, ''), w.author),
      categories = case when excluded.categories = '{}' then w.categories else excluded.categories end,
      composed_from = coalesce(excluded.composed_from, w.composed_from),
      composed_to = coalesce(excluded.composed_to, w.composed_to)
    returning id`)
  const before = known.rows[0]?.title
  const isRetitled = before !== undefined && work.heTitle !== '' && work.heTitle !== before
  return { workId: saved.rows[0]?.id ?? 0, isNew: before === undefined, isRetitled }
}

async function dropVersion(tx: Executor, versionId: number): Promise<void> {
  await lockIndex(tx)
  await indexVersion(tx, versionId)
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

/** Indexes pending texts of a version first. Otherwise the import would index them after they were removed. */
async function indexVersion(tx: Executor, versionId: number): Promise<void> {
  const found = await tx.execute<{ end: number }>(
    sql`select first_doc + doc_count as end from versions where id = ${versionId}`,
  )
  const { indexedTo } = await readIndexWatermark(tx)
  if ((found.rows[0]?.end ?? 0) > indexedTo) await indexTexts(tx)
}

type VersionToSave = {
  readonly version: VersionText
  readonly hash: string
  readonly ids: ReadonlyMap<string, number>
  readonly places: ReadonlyMap<string, PassageRef>
}

const textsTable = {
  table: 'passage_texts',
  columns: ['passage_id', 'version_id', 'language', 'doc_id', 'text', 'notes', 'url'],
} as const

async function saveVersion(
  tx: Executor,
  workId: number,
  { version, hash, ids, places }: VersionToSave,
): Promise<IndexPart> {
  const count = version.texts.size
  const words = version.words ?? indexTermsOf(textsToIndex(version.texts, places))
  const firstDoc = await takeDocuments(tx, count)
  const saved = await tx.execute<{ id: number }>(sql`
    insert into versions (work_id, language, title, license, source_url, machine_made, content_hash, first_doc, doc_count, word_count)
    values (${workId}, ${version.language}, ${version.title}, ${version.license}, ${version.sourceUrl},
      ${version.machineMade}, ${hash}, ${firstDoc}, ${count}, ${words.length})
    returning id`)
  const versionId = saved.rows[0]?.id ?? 0
  const texts = [...version.texts]
  await copyRows(tx, textsTable, texts.length, (writer, i) => {
    const [ref, text] = texts[i] as (typeof texts)[number]
    const notes = version.notes?.get(ref)
    writer.int8(ids.get(ref) ?? 0)
    writer.int4(versionId)
    writer.text(version.language)
    writer.int4(firstDoc + i)
    writer.text(text)
    writer.jsonb(notes === undefined ? '[]' : JSON.stringify(notes))
    writer.text(version.urls?.get(ref) ?? '')
  })
  return { firstDoc, words }
}

/** Reserves `count` new document numbers. It also records the index mark and the normaliser that made the index. */
async function takeDocuments(tx: Executor, count: number): Promise<number> {
  const taken = await tx.execute<{ next: string }>(sql`
    insert into library_state as s (key, value) values ('next_doc', ${String(1 + count)})
    on conflict (key) do update set value = (s.value::bigint + ${count})::text
    returning value as next`)
  const first = Number(taken.rows[0]?.next) - count
  // Without the condition it would wait for a flush that has raised the watermark and not committed yet.
  await tx.execute(sql`
    insert into library_state (key, value)
    select * from (values ('normaliser', ${termsVersion()}), ('indexed_to', ${String(first)})) as v (key, value)
    where not exists (select 1 from library_state s where s.key = v.key)
    on conflict (key) do nothing`)
  return first
}
