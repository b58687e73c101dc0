import { sql } from 'drizzle-orm'
import { type Database, type Executor, withImportTx } from '../../../db/client.ts'
import { databaseFault, isUnavailable } from '../../../db/errors.ts'
import { messageOf, ServiceError } from '../../../errors.ts'
import type { IndexWriter } from '../../index/index-writer.ts'
import type { OtherTitle } from '../../library/writing/headings.ts'
import { lockLibrary, storeWork } from '../../library/writing/library.ts'
import { mergePassageRefs, type ReadVersion } from './format/version.ts'
import type { ReportBuilder } from './report.ts'

export type StoredVersion = { readonly read: ReadVersion; readonly hash: string }

export type StoreOptions = {
  readonly formerTitles?: readonly string[]
  readonly otherTitles?: readonly OtherTitle[]
  /** Called in the same transaction, with the hash of each version. */
  readonly alsoStore?: (tx: Executor, stored: readonly StoredVersion[]) => Promise<void>
}

/**
 * Stores the versions of one work in one transaction, counts them, and passes their words to the index writer, which
 * the caller flushes. Of versions with equal language and title only one is stored, with a remark. If a work cannot
 * be stored, it is reported and the import continues.
 * @throws when the database is unavailable, because every other work would fail too.
 */
export async function storeVersions(
  database: Database,
  index: IndexWriter,
  incoming: readonly ReadVersion[],
  report: ReportBuilder,
  options: StoreOptions = {},
): Promise<void> {
  const versions = withoutDoubles(incoming, report)
  const [first] = versions
  if (!first) return
  const work = first.work
  try {
    const before = await withImportTx(database, async (tx) => {
      await lockLibrary(tx)
      // If the machine crashes, the last second may be lost; the next import repeats it.
      await tx.execute(sql`set local synchronous_commit = off`)
      const former = await takeOverFormerTitle(tx, versions, options.formerTitles ?? [])
      if (former !== undefined) report.note('remarks', work.title, `it was in the library as "${former}"`)
      const known = await hashesOf(tx, work.title)
      const author = versions.find((version) => version.work.author !== '')?.work.author ?? ''
      const { parts } = await storeWork(tx, {
        work: { ...work, author },
        places: mergePassageRefs(versions),
        versions: versions.map(({ version }) => version),
        ...(options.otherTitles && { otherTitles: options.otherTitles }),
      })
      const after = await hashesOf(tx, work.title)
      await options.alsoStore?.(
        tx,
        versions.map((read) => ({ read, hash: after.get(keyOf(read)) ?? '' })),
      )
      return { known, after, parts }
    })
    index.add(before.parts)
    countStored(versions, before.known, before.after, report)
    report.count({ words: before.parts.reduce((sum, { words }) => sum + words.length, 0) })
  } catch (error) {
    const fault = databaseFault(error)
    const isOfTheWork = error instanceof ServiceError || (fault !== undefined && !isUnavailable(fault))
    if (!isOfTheWork) throw error
    report.note('failed', work.title, fault?.message ?? messageOf(error))
  }
}

function countStored(
  versions: readonly ReadVersion[],
  known: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  report: ReportBuilder,
): void {
  const changed = versions.filter((read) => known.get(keyOf(read)) !== after.get(keyOf(read)))
  report.count({ works: changed.length > 0 ? 1 : 0, unchanged: versions.length - changed.length })
  for (const { version } of changed) {
    report.count({
      versions: 1,
      segments: version.texts.size,
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
 * Renames a stored work whose title has changed in the source, if it came from Sefaria and has one of these versions.
 * Storing then replaces its versions instead of creating a second work.
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
