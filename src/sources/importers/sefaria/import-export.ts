import { sql } from 'drizzle-orm'
import { type Database, withImportTx } from '../../../db/client.ts'
import { requireWritable } from '../../../db/library/library-database.ts'
import type { RestrictedLicense } from '../../library/licenses.ts'
import { lockLibrary } from '../../library/writing/library.ts'
import { type ExportSource, type Selection, selectWorks } from './export-source.ts'
import { openParser, type Parser } from './format/parser.ts'
import { titlesOf } from './format/schema.ts'
import { type FileState, ImportState, saveStates } from './import-state.ts'
import { type ImportIndex, openImportIndex } from './indexing.ts'
import { importLinks } from './links.ts'
import { type LoadedWork, loadWork, type SourceFile } from './load-work.ts'
import { prefetch } from './prefetch.ts'
import { ReportBuilder, type SefariaReport } from './report.ts'
import { type StoredVersion, storeVersions } from './store.ts'

export type Progress = {
  readonly done: number
  readonly total: number
  /** Title of the current work. */
  readonly title: string
  readonly segments: number
  readonly words: number
  readonly seconds: number
}

export type ImportOptions = Selection & {
  readonly allowLicenses: readonly RestrictedLicense[]
  readonly links?: boolean
  readonly onProgress?: (progress: Progress) => void
  /** Stops the import after the current work. */
  readonly signal?: AbortSignal
  /** Threads that a caller with several imports reuses. Starting a thread takes most of a second. */
  readonly parser?: Parser
}

/** Number of works that are downloaded before a parser thread is free. */
const fetchedAhead = 6

/**
 * Imports the selected works of an export. Each work is committed separately, so an interrupted import continues with
 * the same call. Files that have not changed since their import are not parsed.
 */
export async function importExport(
  database: Database,
  source: ExportSource,
  options: ImportOptions,
): Promise<SefariaReport> {
  await withImportTx(database, requireWritable)
  const report = new ReportBuilder()
  const { allowLicenses, signal } = options
  const works = selectWorks(source.entries, options)
  if (source.merged > 0)
    report.note('skipped', `${source.merged} files`, 'merged texts hide edition and licence')
  const state = await withImportTx(database, ImportState.load)
  const parser = options.parser ?? openParser()
  const context = { source, parser, state, report, allowLicenses, signal }
  const index = openImportIndex(database, report)
  let done = 0
  try {
    for await (const work of prefetch(works, fetchedAhead + parser.width, (entries) =>
      loadWork(context, entries),
    )) {
      if (signal?.aborted) break
      await report.timed('storing', () => storeLoaded(database, index, work, report))
      await index.flushWhenDue()
      done += 1
      const { segments, words } = report.counts
      options.onProgress?.({
        done,
        total: works.length,
        title: work.title,
        segments,
        words,
        seconds: report.seconds,
      })
    }
  } finally {
    await index.settled()
    if (!options.parser) await parser.close()
  }
  await index.flush()
  if (options.links && !signal?.aborted) await importLinks(database, source.links(), report)
  return report.finish(signal?.aborted === true)
}

async function storeLoaded(
  database: Database,
  index: ImportIndex,
  work: LoadedWork,
  report: ReportBuilder,
): Promise<void> {
  const byTitle = Map.groupBy(work.versions.keys(), (version) => version.work.title)
  for (const [title, versions] of byTitle) {
    await storeVersions(database, index.writer, versions, report, {
      ...titlesOf(work.schema, title),
      alsoStore: (tx, stored) =>
        saveStates(
          tx,
          new Map(stored.flatMap((version) => stateOf(version, work.versions.get(version.read)))),
        ),
    })
  }
  await saveDate(database, work)
  if (work.states.size > 0) await withImportTx(database, (tx) => saveStates(tx, work.states))
}

/** Stores the date of works whose files have not changed, so that importing again gives it to works without one. */
async function saveDate(database: Database, { schema, toDate }: LoadedWork): Promise<void> {
  const composed = schema?.composed
  if (!composed || toDate.size === 0) return
  await withImportTx(database, async (tx) => {
    await lockLibrary(tx)
    await tx.execute(sql`
      update works set composed_from = ${composed.from}, composed_to = ${composed.to}
      where title = any(${sql.param([...toDate])}::text[])`)
  })
}

function stateOf({ read, hash }: StoredVersion, file: SourceFile | undefined): [string, FileState][] {
  if (!file) return []
  const { language, title: version } = read.version
  const result = { kind: 'stored', work: read.work.title, language, version, hash } as const
  return [[file.id, { sha: file.sha, etag: file.etag, result }]]
}
