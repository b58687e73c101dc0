import type { Database } from '../../db/client.ts'
import { messageOf, ServiceError } from '../../errors.ts'
import type { RestrictedLicense } from '../licenses.ts'
import { ahead } from './ahead.ts'
import {
  type Content,
  type ExportEntry,
  type ExportSource,
  type Selection,
  selectWorks,
  type WorkEntries,
} from './export-source.ts'
import { type FileState, fingerprint, ImportState, saveStates } from './import-state.ts'
import { importLinks } from './links.ts'
import { ReportBuilder, type SefariaReport } from './report.ts'
import { readSchemaFile, type WorkSchema } from './schema.ts'
import { storeVersions } from './store.ts'
import type { ReadVersion } from './version.ts'
import { readVersionFile } from './version-file.ts'

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

/** Works that are fetched while one is stored. */
const worksAhead = 4

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
  const works = selectWorks(source.entries, options)
  if (source.merged > 0)
    report.note('skipped', `${source.merged} files`, 'merged texts hide edition and licence')
  const state = await ImportState.load(database.system)
  const run = { source, state, report, options, database }
  let done = 0
  for await (const work of ahead(works, worksAhead, (entries) => loadWork(run, entries))) {
    if (options.signal?.aborted) break
    await storeLoaded(run, work)
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
  if (options.links && !options.signal?.aborted) await importLinks(database, source.links(), report)
  return report.finish(options.signal?.aborted === true)
}

type Run = {
  readonly database: Database
  readonly source: ExportSource
  readonly state: ImportState
  readonly report: ReportBuilder
  readonly options: ImportOptions
}

/** A file with its content, unless nothing about it has changed. */
type LoadedFile = { readonly entry: ExportEntry; readonly sha: string; readonly content: Content | undefined }

type LoadedWork = {
  readonly title: string
  readonly schema: WorkSchema | undefined
  readonly files: readonly LoadedFile[]
}

async function loadWork(run: Run, work: WorkEntries): Promise<LoadedWork> {
  if (run.options.signal?.aborted) return { title: work.title, schema: undefined, files: [] }
  return run.report.timed('reading', async () => {
    const found = await orReport(run, `schema of ${work.title}`, async () => ({
      schema: await run.source.schema(work.title),
    }))
    // Without its schema a work could get other refs than it has: better none for now.
    if (!found) return { title: work.title, schema: undefined, files: [] }
    const { schema } = found
    let files = await loadFiles(run, work.entries, schema, false)
    const changed = files.some((file) => file.content !== undefined)
    // Reading order is made of all versions together: when one changed, the others are needed too.
    if (changed && files.length > 1) {
      const same = files.filter((file) => file.content === undefined && isStored(run, file.entry))
      const again = await loadFiles(
        run,
        same.map((file) => file.entry),
        schema,
        true,
      )
      files = files.map((file) => again.find(({ entry }) => entry === file.entry) ?? file)
    }
    return { title: work.title, schema: readSchemaFile(parsed(schema)), files }
  })
}

async function loadFiles(
  run: Run,
  entries: readonly ExportEntry[],
  schema: string | undefined,
  evenUnchanged: boolean,
): Promise<readonly LoadedFile[]> {
  const loaded = await Promise.all(
    entries.map((entry) => orReport(run, entry.name, () => loadFile(run, entry, schema, evenUnchanged))),
  )
  return loaded.filter((file) => file !== undefined)
}

async function loadFile(
  run: Run,
  entry: ExportEntry,
  schema: string | undefined,
  evenUnchanged: boolean,
): Promise<LoadedFile> {
  const known = evenUnchanged ? undefined : run.state.current(entry.id, run.options.allowLicenses)
  const content = await run.source.read(entry, known?.etag)
  if (!content) return { entry, sha: known?.sha ?? '', content: undefined }
  const sha = fingerprint(content.body, schema)
  return { entry, sha, content: known?.sha === sha ? undefined : content }
}

function isStored(run: Run, entry: ExportEntry): boolean {
  return run.state.current(entry.id, run.options.allowLicenses)?.result.kind === 'stored'
}

async function storeLoaded(run: Run, work: LoadedWork): Promise<void> {
  const states = new Map<string, FileState>()
  const sources = new Map<ReadVersion, LoadedFile>()
  for (const file of work.files) {
    if (file.content === undefined) countUnchanged(run, file.entry)
    else await run.report.timed('parsing', () => readFile(run, work, file, file.content, states, sources))
  }
  await run.report.timed('storing', async () => {
    const byTitle = Map.groupBy(sources.keys(), (version) => version.work.title)
    for (const versions of byTitle.values()) {
      await storeVersions(run.database, versions, run.report, {
        formerTitles: work.schema?.formerTitles ?? [],
        alsoStore: async (tx, stored) => {
          const noted = new Map(
            stored.flatMap(({ read, hash }) => storedState(sources.get(read), read, hash)),
          )
          await saveStates(tx, noted)
        },
      })
    }
    if (states.size > 0) await saveStates(run.database.system, states)
  })
}

function storedState(file: LoadedFile | undefined, read: ReadVersion, hash: string): [string, FileState][] {
  if (!file) return []
  const { language, title: version } = read.version
  const result = { kind: 'stored', work: read.work.title, language, version, hash } as const
  return [[file.entry.id, { sha: file.sha, etag: file.content?.etag, result }]]
}

/** What the file was skipped for the first time, it is reported for every time. */
function countUnchanged(run: Run, entry: ExportEntry): void {
  const result = run.state.current(entry.id, run.options.allowLicenses)?.result
  if (result?.kind === 'refused') noteRefused(run, entry, result.license)
  else if (result?.kind === 'empty') run.report.note('skipped', entry.name, 'it holds no text')
  else run.report.count({ unchanged: 1 })
}

function noteRefused(run: Run, entry: ExportEntry, license: string): void {
  run.report.note('skipped', entry.name, `licence "${license}" is not allowed`)
}

function readFile(
  run: Run,
  work: LoadedWork,
  { entry, sha }: LoadedFile,
  content: Content | undefined,
  states: Map<string, FileState>,
  sources: Map<ReadVersion, LoadedFile>,
): void {
  if (!content) return
  try {
    const outcome = readVersionFile(content.body.toString('utf8'), work.schema, run.options.allowLicenses)
    const etag = content.etag
    if (outcome.kind === 'read') {
      sources.set(outcome.version, { entry, sha, content: { body: Buffer.alloc(0), etag } })
      for (const doubt of outcome.version.doubts) run.report.note('remarks', entry.name, doubt)
    } else if (outcome.kind === 'refused') {
      noteRefused(run, entry, outcome.license)
      states.set(entry.id, { sha, etag, result: { kind: 'refused', license: outcome.license } })
    } else if (outcome.kind === 'empty') {
      run.report.note('skipped', entry.name, 'it holds no text')
      states.set(entry.id, { sha, etag, result: { kind: 'empty' } })
    } else {
      run.report.note('skipped', entry.name, 'merged texts hide edition and licence')
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    run.report.note('failed', entry.name, error.message)
  }
}

/** The result, or a line in the report and undefined. */
async function orReport<T>(run: Run, what: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    run.report.note('failed', what, messageOf(error))
    return undefined
  }
}

function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? 'null')
  } catch {
    return undefined
  }
}
