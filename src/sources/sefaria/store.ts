import { sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { databaseFault, isUnavailable } from '../../db/errors.ts'
import { messageOf, ServiceError } from '../../errors.ts'
import { createIndexWriter, type IndexWriter } from '../index-writer.ts'
import { lockLibrary, storeWork } from '../library.ts'
import type { ReportBuilder } from './report.ts'
import { mergePlaces, type ReadVersion } from './version.ts'

export type StoredVersion = { readonly read: ReadVersion; readonly hash: string }

export type StoreOptions = {
  readonly formerTitles?: readonly string[]
  /** Runs in the same transaction, with the hash of each version. */
  readonly alsoStore?: (tx: Executor, stored: readonly StoredVersion[]) => Promise<void>
}

export type WorkToStore = StoreOptions & { readonly versions: readonly ReadVersion[] }

/** The versions of one work, stored by themselves: see `storeWorks`. */
export async function storeVersions(
  database: Database,
  versions: readonly ReadVersion[],
  report: ReportBuilder,
): Promise<void> {
  await storeWorks(database, [{ versions }], report)
}

/**
 * Stores works, each of another title, in one transaction and counts them. Versions of the same language and title as
 * another of their work are left out with a remark. When the transaction fails, each work is stored by itself; one
 * that cannot be is reported, and the import goes on.
 * @throws when the database is not there: no other work would fare better.
 */
export async function storeWorks(
  database: Database,
  incoming: readonly WorkToStore[],
  report: ReportBuilder,
): Promise<void> {
  const works = incoming
    .map((work) => ({ ...work, versions: withoutDoubles(work.versions, report) }))
    .filter((work) => work.versions.length > 0)
  if (works.length === 0 || (await attempt(database, works, report))) return
  for (const work of works) await attempt(database, [work], report)
}

/** @returns false when several works could not be stored together. */
async function attempt(
  database: Database,
  works: readonly WorkToStore[],
  report: ReportBuilder,
): Promise<boolean> {
  try {
    const outcomes = await withTx(database, 'system', async (tx) => {
      await lockLibrary(tx)
      // What a failing machine loses of the last second, the next run brings again.
      await tx.execute(sql`set local synchronous_commit = off`)
      const index = createIndexWriter()
      const done: Outcome[] = []
      for (const work of works) done.push(await storeOne(tx, work, index))
      await index.flush(tx)
      return done
    })
    for (const outcome of outcomes) countStored(outcome, report)
    return true
  } catch (error) {
    const fault = databaseFault(error)
    const isOfTheWork = error instanceof ServiceError || (fault !== undefined && !isUnavailable(fault))
    if (!isOfTheWork) throw error
    if (works.length > 1) return false
    report.note('failed', works[0]?.versions[0]?.work.title ?? '', fault?.message ?? messageOf(error))
    return true
  }
}

type Outcome = {
  readonly versions: readonly ReadVersion[]
  readonly former: string | undefined
  readonly known: ReadonlyMap<string, string>
  readonly after: ReadonlyMap<string, string>
}

async function storeOne(tx: Executor, incoming: WorkToStore, index: IndexWriter): Promise<Outcome> {
  const { versions, formerTitles = [], alsoStore } = incoming
  const work = versions[0]?.work ?? { title: '', heTitle: '', author: '', categories: [] }
  const former = await takeOverFormerTitle(tx, versions, formerTitles)
  const known = await hashesOf(tx, work.title)
  const author = versions.find((version) => version.work.author !== '')?.work.author ?? ''
  const places = mergePlaces(versions)
  await storeWork(
    tx,
    { work: { ...work, author }, places, versions: versions.map(({ version }) => version) },
    index,
  )
  const after = await hashesOf(tx, work.title)
  await alsoStore?.(
    tx,
    versions.map((read) => ({ read, hash: after.get(keyOf(read)) ?? '' })),
  )
  return { versions, former, known, after }
}

function countStored({ versions, former, known, after }: Outcome, report: ReportBuilder): void {
  const title = versions[0]?.work.title ?? ''
  if (former !== undefined) report.note('remarks', title, `it was in the library as "${former}"`)
  const changed = versions.filter((read) => known.get(keyOf(read)) !== after.get(keyOf(read)))
  report.count({ works: changed.length > 0 ? 1 : 0, unchanged: versions.length - changed.length })
  for (const { version, words } of changed) {
    report.count({
      versions: 1,
      segments: version.texts.size,
      words,
      machineMade: version.machineMade ? 1 : 0,
    })
  }
}

function withoutDoubles(versions: readonly ReadVersion[], report: ReportBuilder): readonly ReadVersion[] {
  const seen = new Set<string>()
  return versions.filter((read) => {
    const isNew = !seen.has(keyOf(read))
    seen.add(keyOf(read))
    if (!isNew)
      report.note('skipped', `${read.work.title}: ${read.version.title}`, 'the same version came before')
    return isNew
  })
}

function keyOf({ version }: ReadVersion): string {
  return JSON.stringify([version.language, version.title])
}

async function hashesOf(tx: Executor, work: string): Promise<ReadonlyMap<string, string>> {
  const found = await tx.execute<{ language: string; title: string; hash: string }>(sql`
    select v.language, v.title, v.content_hash as hash from versions v join works w on w.id = v.work_id
    where w.title = ${work}`)
  return new Map(found.rows.map(({ language, title, hash }) => [JSON.stringify([language, title]), hash]))
}

/**
 * Titles change from one export to the next. A work that came from Sefaria under a former title, with one of these
 * versions, is given the new one; storing then replaces its versions, refs and all, instead of doubling the work.
 */
async function takeOverFormerTitle(
  tx: Executor,
  versions: readonly ReadVersion[],
  formerTitles: readonly string[],
): Promise<string | undefined> {
  const title = versions[0]?.work.title ?? ''
  if (formerTitles.length === 0) return undefined
  const found = await tx.execute<{ id: number; title: string }>(sql`
    select w.id, w.title from works w
    where w.title = any(${sql.param(formerTitles)}::text[]) and not exists (select 1 from works where title = ${title})
      and exists (
        select 1 from versions v
        where v.work_id = w.id and starts_with(v.source_url, 'https://www.sefaria.org/')
          and v.title = any(${sql.param(versions.map(({ version }) => version.title))}::text[]))
    limit 1`)
  const former = found.rows[0]
  if (former) await tx.execute(sql`update works set title = ${title} where id = ${former.id}`)
  return former?.title
}
