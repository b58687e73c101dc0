import type { Database } from '../../db/client.ts'
import type { RestrictedLicense } from '../licenses.ts'
import { ahead } from './ahead.ts'
import { type ExportSource, type Selection, selectWorks } from './export-source.ts'
import { type FileState, ImportState, saveStates } from './import-state.ts'
import { importLinks } from './links.ts'
import { type LoadedWork, loadWork, type SourceFile } from './load-work.ts'
import { ReportBuilder, type SefariaReport } from './report.ts'
import { type StoredVersion, storeWorks, type WorkToStore } from './store.ts'

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

/** Small works are committed together, up to so many texts and words; a run that is cut short loses no more. */
const batchTexts = 6_000
const batchWords = 2_000_000

/**
 * Imports the wanted works of an export. Works are committed a few at a time, so that a run that is cut short is gone on
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
  let batch: LoadedWork[] = []
  const storeBatch = async (): Promise<void> => {
    const held = batch
    batch = []
    if (held.length === 0) return
    await report.timed('storing', () => storeLoaded(database, held, report))
    done += held.length
    const { segments, words } = report.counts
    const title = held.at(-1)?.title ?? ''
    options.onProgress?.({ done, total: works.length, title, segments, words, seconds: report.seconds })
  }
  for await (const work of ahead(works, worksAhead, (entries) => loadWork(context, entries))) {
    if (signal?.aborted) break
    if (!fits(batch, work)) await storeBatch()
    batch.push(work)
  }
  if (!signal?.aborted) await storeBatch()
  if (options.links && !signal?.aborted) await importLinks(database, source.links(), report)
  return report.finish(signal?.aborted === true)
}

/** Whether a work may be stored in one transaction with others. A title comes once: see `storeWork`. */
function fits(batch: readonly LoadedWork[], work: LoadedWork): boolean {
  const titles = new Set(batch.flatMap(titlesOf))
  if (titlesOf(work).some((title) => titles.has(title))) return false
  const versions = [...batch, work].flatMap((held) => [...held.versions.keys()])
  const texts = versions.reduce((sum, { version }) => sum + version.texts.size, 0)
  const words = versions.reduce((sum, version) => sum + version.words, 0)
  return texts <= batchTexts && words <= batchWords
}

function titlesOf(work: LoadedWork): readonly string[] {
  return [...new Set([...work.versions.keys()].map((version) => version.work.title)), ...work.formerTitles]
}

async function storeLoaded(
  database: Database,
  works: readonly LoadedWork[],
  report: ReportBuilder,
): Promise<void> {
  const incoming = works.flatMap((work) => {
    const byTitle = Map.groupBy(work.versions.keys(), (version) => version.work.title)
    return [...byTitle.values()].map(
      (versions): WorkToStore => ({
        versions,
        formerTitles: work.formerTitles,
        alsoStore: (tx, stored) =>
          saveStates(
            tx,
            new Map(stored.flatMap((version) => stateOf(version, work.versions.get(version.read)))),
          ),
      }),
    )
  })
  await storeWorks(database, incoming, report)
  const states = new Map(works.flatMap((work) => [...work.states]))
  if (states.size > 0) await saveStates(database.system, states)
}

function stateOf({ read, hash }: StoredVersion, file: SourceFile | undefined): [string, FileState][] {
  if (!file) return []
  const { language, title: version } = read.version
  const result = { kind: 'stored', work: read.work.title, language, version, hash } as const
  return [[file.id, { sha: file.sha, etag: file.etag, result }]]
}
