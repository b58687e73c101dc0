import { sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { titlesOf, type WorkSchema } from '../importers/sefaria/format/schema.ts'
import { segmentsOf } from '../importers/sefaria/format/section-segments.ts'
import { makeVersion, mergePassageRefs, type ReadVersion } from '../importers/sefaria/format/version.ts'
import { positionOf, storedVersion, textsBeside, withTexts } from '../importers/sefaria/stored-rest.ts'
import { readIndexWatermark } from '../index/index-watermark.ts'
import { createIndexWriter } from '../index/index-writer.ts'
import type { PassageRef } from '../index/passage-ref.ts'
import type { IndexPart } from '../index/posting-rows.ts'
import { lockLibrary, storeWork } from '../library/writing/library.ts'
import type { VersionText } from '../library/writing/version-text.ts'
import type { FetchedSection } from './fetch-section.ts'

const publisher = 'https://www.sefaria.org/'

/**
 * `not_stored`: the library has the work or the version from elsewhere. `too_large`: a stored version has too many texts
 * to grow.
 */
export type StoredAs = 'stored' | 'not_stored' | 'too_large'

export type StoreLimits = {
  /** Maximum wait for an import that is writing. */
  readonly waitMs: number
  /** `FallbackLimits.versionTexts`. */
  readonly maxTexts: number
}

/** Splitting this much into terms takes about 10 ms per version. */
const smallLetters = 40_000
const smallTexts = 100

/** Whether storing a section takes so little time that it need not run in a thread. */
export async function isSmall(executor: Executor, { section }: FetchedSection): Promise<boolean> {
  const letters = JSON.stringify(section.versions.map(({ text }) => text)).length
  if (letters > smallLetters) return false
  const found = await executor.execute<{ texts: number }>(sql`
    select coalesce(sum(v.doc_count), 0)::int as texts from versions v join works w on w.id = v.work_id
    where w.title = ${section.indexTitle}`)
  return (found.rows[0]?.texts ?? 0) <= smallTexts
}

/**
 * Stores a section in its work, in one transaction. Everything that the library has stays: texts of other sections,
 * properties of a known work, the order of its places. A work that did not come from the publisher is not changed.
 * @throws database errors, and ServiceError when a ref belongs to another work.
 */
export async function storeSection(
  database: Database,
  { section, author, schema }: FetchedSection,
  { waitMs, maxTexts }: StoreLimits,
): Promise<StoredAs> {
  const { indexTitle: title, heIndexTitle: heTitle, categories } = section
  const work = { title, heTitle, author, categories }
  const read = section.versions.flatMap(
    ({ text, ...header }) => makeVersion(work, header, segmentsOf(section, text, 1)) ?? [],
  )
  return withTx(database, 'system', async (tx) => {
    await lockLibrary(tx, waitMs)
    const { formerTitles, otherTitles } = titlesOf(schema, title)
    const origin = await originOf(tx, title, formerTitles)
    if (origin === 'other') return 'not_stored'
    const all = []
    for (const one of read) all.push(await extended(tx, one, maxTexts))
    const versions = all.filter((one) => typeof one === 'object')
    if (versions.length === 0) return all.includes('too_large') ? 'too_large' : 'not_stored'
    const places = placesOf(await knownPlaces(tx, title), read, versions, schema)
    const { parts } = await storeWork(tx, {
      work: origin === 'publisher' ? { title, heTitle: '', author: '', categories: [] } : work,
      places,
      versions,
      ...(otherTitles && { otherTitles }),
    })
    await indexNow(tx, parts)
    return 'stored'
  })
}

/**
 * Adds the stored texts of a version to those that were fetched, unless it has another licence or address or too many
 * texts.
 */
async function extended(tx: Executor, read: ReadVersion, maxTexts: number): Promise<VersionText | StoredAs> {
  const { version } = read
  const known = await storedVersion(tx, read)
  if (!known) return version
  if (known.license !== version.license || known.sourceUrl !== version.sourceUrl) return 'not_stored'
  if (known.count > maxTexts) return 'too_large'
  return withTexts(version, await textsBeside(tx, version, known))
}

/**
 * Where the library has the work from. A work under a former title counts as `other`: only an import renames it.
 */
async function originOf(
  tx: Executor,
  title: string,
  formerTitles: readonly string[],
): Promise<'publisher' | 'other' | 'new'> {
  const found = await tx.execute<{ title: string; ours: boolean }>(sql`
    select w.title, exists (
      select 1 from versions v where v.work_id = w.id and starts_with(v.source_url, ${publisher})) as ours
    from works w where w.title = ${title} or w.title = any(${sql.param(formerTitles)}::text[])`)
  const own = found.rows.find((row) => row.title === title)
  if (own) return own.ours ? 'publisher' : 'other'
  return found.rows.some(({ ours }) => ours) ? 'other' : 'new'
}

async function knownPlaces(tx: Executor, title: string): Promise<readonly PassageRef[]> {
  const found = await tx.execute<{ ref: string; he_ref: string; section_ref: string }>(sql`
    select p.ref, p.he_ref, p.section_ref from passages p join works w on w.id = p.work_id
    where w.title = ${title} order by p.ordinal`)
  return found.rows.map(({ ref, he_ref, section_ref }) => ({ ref, heRef: he_ref, sectionRef: section_ref }))
}

/**
 * The places of the versions in reading order. The places next to the section are included, because `storeWork` puts
 * new places beside known ones.
 */
function placesOf(
  known: readonly PassageRef[],
  read: readonly ReadVersion[],
  versions: readonly VersionText[],
  schema: WorkSchema | undefined,
): readonly PassageRef[] {
  const stored = new Map(known.map((place) => [place.ref, place]))
  const section = mergePassageRefs(read).map((place) => withKnown(place, stored.get(place.ref)))
  const inSection = new Set(section.map(({ ref }) => ref))
  const others = known.filter(({ ref }) => !inSection.has(ref))
  const at = positionOf(others, section[0]?.ref ?? '', schema)
  const needed = new Set(versions.flatMap(({ texts }) => [...texts.keys()]))
  const kept = (place: PassageRef, i: number): boolean => i === at - 1 || i === at || needed.has(place.ref)
  return [
    ...others.filter((place, i) => i < at && kept(place, i)),
    ...section,
    ...others.filter((place, i) => i >= at && kept(place, i)),
  ]
}

/** The Hebrew ref of a known place stays, so that the other versions need no new index. */
function withKnown(place: PassageRef, known: PassageRef | undefined): PassageRef {
  return known ? { ...place, heRef: known.heRef || place.heRef } : place
}

/** Indexes the texts, unless texts of an import wait before them. The import then indexes all. */
async function indexNow(tx: Executor, parts: readonly IndexPart[]): Promise<void> {
  const { indexedTo } = await readIndexWatermark(tx)
  if (parts[0]?.firstDoc !== indexedTo) return
  const writer = createIndexWriter()
  writer.add(parts)
  await writer.flush(tx)
}
