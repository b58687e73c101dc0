import { messageOf } from '../../../errors.ts'
import { licenseRefusal, type RestrictedLicense } from '../../library/licenses.ts'
import type { Content, ExportEntry, ExportSource, WorkEntries } from './export-source.ts'
import type { ParsedFile } from './format/parse-files.ts'
import type { Parser } from './format/parser.ts'
import type { WorkSchema } from './format/schema.ts'
import type { ReadVersion } from './format/version.ts'
import { type FileState, fingerprint, type ImportState, type Seen } from './import-state.ts'
import type { ReportBuilder } from './report.ts'

export type LoadContext = {
  readonly source: ExportSource
  readonly parser: Parser
  readonly state: ImportState
  readonly report: ReportBuilder
  readonly allowLicenses: readonly RestrictedLicense[]
  readonly signal: AbortSignal | undefined
}

/** A file with a version, with the state to record after the version is stored. */
export type SourceFile = { readonly id: string; readonly seen: Seen }

/** A work parsed from its files. It includes versions of unchanged files only if another version changed. */
export type LoadedWork = {
  readonly title: string
  readonly schema: WorkSchema | undefined
  readonly versions: ReadonlyMap<ReadVersion, SourceFile>
  /** States to record for files that contain nothing to store. */
  readonly states: ReadonlyMap<string, FileState>
}

/** A file; its content is undefined if it has not changed. */
type LoadedFile = { readonly entry: ExportEntry; readonly seen: Seen; readonly content: Content | undefined }

/** Downloads and parses the files of a work. Failures go into the report. */
export async function loadWork(context: LoadContext, work: WorkEntries): Promise<LoadedWork> {
  const nothing = { title: work.title, schema: undefined, versions: new Map(), states: new Map() }
  if (context.signal?.aborted) return nothing
  const fetched = await context.report.timed('reading', () => fetchWork(context, work))
  if (!fetched) return nothing
  return context.report.timed('parsing', () => parseWork(context, work.title, fetched))
}

type FetchedWork = { readonly schema: string | undefined; readonly files: readonly LoadedFile[] }

async function fetchWork(context: LoadContext, work: WorkEntries): Promise<FetchedWork | undefined> {
  const found = await orReport(context, `schema of ${work.title}`, async () => ({
    schema: await context.source.schema(work.title),
  }))
  // Without its schema the work could get other refs than before, so it is skipped this time.
  if (!found) return undefined
  const { schema } = found
  const files = await fetchFiles(context, work.entries, schema, false)
  const isChanged = files.some((file) => file.content !== undefined)
  const same = files.filter((file) => file.content === undefined && isStored(context, file.entry))
  if (!isChanged || same.length === 0) return { schema, files }
  // The reading order comes from all versions, so a change in one needs the others too.
  const entries = same.map((file) => file.entry)
  const again = await fetchFiles(context, entries, schema, true)
  return { schema, files: files.map((file) => again.find(({ entry }) => entry === file.entry) ?? file) }
}

async function fetchFiles(
  context: LoadContext,
  entries: readonly ExportEntry[],
  schema: string | undefined,
  evenUnchanged: boolean,
): Promise<readonly LoadedFile[]> {
  const loaded = await Promise.all(
    entries.map((entry) =>
      orReport(context, entry.name, () => fetchFile(context, entry, schema, evenUnchanged)),
    ),
  )
  return loaded.filter((file) => file !== undefined)
}

async function fetchFile(
  context: LoadContext,
  entry: ExportEntry,
  schema: string | undefined,
  evenUnchanged: boolean,
): Promise<LoadedFile> {
  const recorded = evenUnchanged ? undefined : context.state.current(entry.id, context.allowLicenses)
  const schemaSha = fingerprint(schema ?? '')
  // The same file gives other refs or dates under another schema.
  const known = recorded?.schemaSha === schemaSha ? recorded : undefined
  const content = await context.source.read(entry, known?.etag)
  const seen = {
    sha: content ? fingerprint(content.body) : (known?.sha ?? ''),
    schemaSha,
    etag: content?.etag,
  }
  return { entry, seen, content: known?.sha === seen.sha ? undefined : content }
}

function isStored(context: LoadContext, entry: ExportEntry): boolean {
  return context.state.current(entry.id, context.allowLicenses)?.result.kind === 'stored'
}

async function parseWork(
  context: LoadContext,
  title: string,
  { schema, files }: FetchedWork,
): Promise<LoadedWork> {
  const changed: ChangedFile[] = []
  for (const file of files) {
    if (file.content) changed.push({ ...file, content: file.content })
    else countUnchanged(context, file.entry)
  }
  const bodies = changed.map(({ content }) => content.body)
  const { allowLicenses } = context
  const parsed = await context.parser.parse({ schema, files: bodies, allowLicenses })
  const versions = new Map<ReadVersion, SourceFile>()
  const states = new Map<string, FileState>()
  changed.forEach(({ entry, seen }, i) => {
    const outcome = parsed.files[i]
    if (!outcome) return
    if (outcome.kind === 'read') {
      for (const warning of outcome.version.warnings) context.report.note('remarks', entry.name, warning)
      versions.set(outcome.version, { id: entry.id, seen })
      return
    }
    const result = leftOut(context, entry, outcome)
    if (result) states.set(entry.id, { ...seen, result })
  })
  return { title, schema: parsed.schema, versions, states }
}

type ChangedFile = LoadedFile & { readonly content: Content }

/** Reports a file that gives no version and returns the state to record for it. */
function leftOut(
  context: LoadContext,
  entry: ExportEntry,
  outcome: Exclude<ParsedFile, { readonly kind: 'read' }>,
): FileState['result'] | undefined {
  switch (outcome.kind) {
    case 'failed':
      context.report.note('failed', entry.name, outcome.why)
      return undefined
    case 'merged':
      context.report.note('skipped', entry.name, 'merged texts hide edition and licence')
      return undefined
    default:
      noteLeftOut(
        context,
        entry,
        outcome,
        isStored(context, entry) ? '; the library keeps its earlier text' : '',
      )
      return outcome
  }
}

/** Counts an unchanged file. If earlier imports skipped the file, it reports the reason again. */
function countUnchanged(context: LoadContext, entry: ExportEntry): void {
  const result = context.state.current(entry.id, context.allowLicenses)?.result
  if (!result || result.kind === 'stored') context.report.count({ unchanged: 1 })
  else noteLeftOut(context, entry, result)
}

function noteLeftOut(
  { report }: LoadContext,
  entry: ExportEntry,
  result: Exclude<FileState['result'], { readonly kind: 'stored' }>,
  consequence = '',
): void {
  const why = result.kind === 'empty' ? 'it holds no text' : licenseRefusal(result.license)
  report.note('skipped', entry.name, why + consequence)
}

/** Returns the result. On an error it adds a line to the report and returns undefined. */
async function orReport<T>(
  context: LoadContext,
  what: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    context.report.note('failed', what, messageOf(error))
    return undefined
  }
}
