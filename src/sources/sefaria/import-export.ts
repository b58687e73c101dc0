import type { Database } from '../../db/client.ts'
import type { RestrictedLicense } from '../licenses.ts'
import { ahead } from './ahead.ts'
import { type ExportSource, type Selection, selectWorks } from './export-source.ts'
import { type FileState, ImportState, saveStates } from './import-state.ts'
import { importLinks } from './links.ts'
import { type LoadedWork, loadWork, type SourceFile } from './load-work.ts'
import { ReportBuilder, type SefariaReport } from './report.ts'
import { titlesOf } from './schema.ts'
import { type StoredVersion, storeVersions } from './store.ts'

export type Progress = {
  readonly done: number
  readonly total: number
  /** The work in hand. */
  readonly title: string
  readonly segments: number
  readonly words: number
  readonly seconds: number
}

export type ImportOptions = Selection & {
  readonly allowLicenses: readonly RestrictedLicense[]
  readonly links?: boolean
  readonly onProgress?: (progress: Progress) => void
  /** Stops the import after the work in hand. */
  readonly signal?: AbortSignal
}

/** Works that are fetched and parsed while one is stored: the database then works beside this program. */
const worksAhead = 3

/**
 * Imports the wanted works of an export. Each work is committed by itself, so that a run that is cut short is gone on
 * with by the same call; files that have not changed since they were imported are not even parsed.
 */
export async function importExport(
  database: Database,
  source: ExportSource,
  options: ImportOptions,
): Promise<SefariaReport> {
  const report = new ReportBuilder()
  const { allowLicenses, signal } = options
  const works = selectWorks(source.entries, options)
  if (source.merged > 0)
    report.note('skipped', `${source.merged} files`, 'merged texts hide edition and licence')
  const context = { source, state: await ImportState.load(database.system), report, allowLicenses, signal }
  let done = 0
  for await (const work of ahead(works, worksAhead, (entries) => loadWork(context, entries))) {
    if (signal?.aborted) break
    await report.timed('storing', () => storeLoaded(database, work, report))
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
  if (options.links && !signal?.aborted) await importLinks(database, source.links(), report)
  return report.finish(signal?.aborted === true)
}

async function storeLoaded(database: Database, work: LoadedWork, report: ReportBuilder): Promise<void> {
  const byTitle = Map.groupBy(work.versions.keys(), (version) => version.work.title)
  for (const [title, versions] of byTitle) {
    await storeVersions(database, versions, report, {
      ...titlesOf(work.schema, title),
      alsoStore: (tx, stored) =>
        saveStates(
          tx,
          new Map(stored.flatMap((version) => stateOf(version, work.versions.get(version.read)))),
        ),
    })
  }
  if (work.states.size > 0) await saveStates(database.system, work.states)
}

function stateOf({ read, hash }: StoredVersion, file: SourceFile | undefined): [string, FileState][] {
  if (!file) return []
  const { language, title: version } = read.version
  const result = { kind: 'stored', work: read.work.title, language, version, hash } as const
  return [[file.id, { sha: file.sha, etag: file.etag, result }]]
}
