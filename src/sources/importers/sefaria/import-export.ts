import { type Database, withImportTx } from '../../../db/client.ts'
import type { RestrictedLicense } from '../../library/licenses.ts'
import { importEach, type ReadWork } from '../import-works.ts'
import { type ExportSource, type Selection, selectWorks, type WorkEntries } from './export-source.ts'
import { openParser, type Parser } from './format/parser.ts'
import { titlesOf } from './format/schema.ts'
import { type FileState, ImportState, saveStates } from './import-state.ts'
import { importLinks } from './links.ts'
import { type LoadedWork, loadWork, type SourceFile } from './load-work.ts'
import { prefetch } from './prefetch.ts'
import { ReportBuilder, type SefariaReport } from './report.ts'
import { readWork, type StoredVersion } from './store.ts'

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
  const report = new ReportBuilder()
  const { allowLicenses, signal } = options
  const works = selectWorks(source.entries, options)
  if (source.merged > 0)
    report.note('skipped', `${source.merged} files`, 'merged texts hide edition and licence')
  const parser = options.parser ?? openParser()
  const progress = (done: number, title: string): void => {
    const { segments, words } = report.counts
    options.onProgress?.({ done, total: works.length, title, segments, words, seconds: report.seconds })
  }
  async function* read(): AsyncGenerator<ReadWork> {
    const state = await withImportTx(database, ImportState.load)
    const context = { source, parser, state, report, allowLicenses, signal }
    const load = (entries: WorkEntries) => loadWork(context, entries)
    let done = 0
    for await (const work of prefetch(works, fetchedAhead + parser.width, load)) {
      if (signal?.aborted) return
      yield* worksIn(work, report)
      if (work.states.size > 0) await withImportTx(database, (tx) => saveStates(tx, work.states))
      done += 1
      progress(done, work.title)
    }
  }
  try {
    await importEach(database, read(), (stage, work) => report.timed(stage, work))
  } finally {
    if (!options.parser) await parser.close()
  }
  if (options.links && !signal?.aborted) await importLinks(database, source.links(), report)
  return report.finish(signal?.aborted === true)
}

/** The works of a loaded one: files of one folder can have several titles. */
function worksIn({ versions, schema }: LoadedWork, report: ReportBuilder): readonly ReadWork[] {
  const byTitle = Map.groupBy(versions.keys(), ({ work }) => work.title)
  return [...byTitle].flatMap(([title, ofTitle]) =>
    readWork(ofTitle, report, {
      ...titlesOf(schema, title),
      alsoStore: (tx, stored) =>
        saveStates(tx, new Map(stored.flatMap((version) => stateOf(version, versions.get(version.read))))),
    }),
  )
}

function stateOf({ read, hash }: StoredVersion, file: SourceFile | undefined): [string, FileState][] {
  if (!file) return []
  const { language, title: version } = read.version
  const result = { kind: 'stored', work: read.work.title, language, version, hash } as const
  return [[file.id, { ...file.seen, result }]]
}
