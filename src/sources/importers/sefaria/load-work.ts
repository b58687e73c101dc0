import { messageOf } from '../../../errors.ts'
import { type RestrictedLicense, refusalOf } from '../../library/licenses.ts'
import type { Content, ExportEntry, ExportSource, WorkEntries } from './export-source.ts'
import type { ParsedFile } from './format/parse-files.ts'
import type { Parser } from './format/parser.ts'
import type { WorkSchema } from './format/schema.ts'
import type { ReadVersion } from './format/version.ts'
import { type FileState, fingerprint, type ImportState } from './import-state.ts'
import type { ReportBuilder } from './report.ts'

export type LoadContext = {
  readonly source: ExportSource
  readonly parser: Parser
  readonly state: ImportState
  readonly report: ReportBuilder
  readonly allowLicenses: readonly RestrictedLicense[]
  readonly signal: AbortSignal | undefined
}

/** A file that holds a version, by what is to be noted of it once the version is stored. */
export type SourceFile = { readonly id: string; readonly sha: string; readonly etag: string | undefined }

/** A work read from its files. Versions of files that have not changed are among them only when others have. */
export type LoadedWork = {
  readonly title: string
  readonly schema: WorkSchema | undefined
  readonly versions: ReadonlyMap<ReadVersion, SourceFile>
  /** What is to be noted of files that hold nothing to store. */
  readonly states: ReadonlyMap<string, FileState>
}

/** A file with its content, unless nothing about it has changed. */
type LoadedFile = { readonly entry: ExportEntry; readonly sha: string; readonly content: Content | undefined }

/** Fetches and parses the files of a work. What cannot be had or read goes into the report. */
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
  // Without its schema a work could get other refs than it has: better none for now.
  if (!found) return undefined
  const { schema } = found
  const files = await fetchFiles(context, work.entries, schema, false)
  const isChanged = files.some((file) => file.content !== undefined)
  const same = files.filter((file) => file.content === undefined && isStored(context, file.entry))
  if (!isChanged || same.length === 0) return { schema, files }
  // Reading order is made of all versions together: when one changed, the others are needed too.
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
  const known = evenUnchanged ? undefined : context.state.current(entry.id, context.allowLicenses)
  const content = await context.source.read(entry, known?.etag)
  if (!content) return { entry, sha: known?.sha ?? '', content: undefined }
  const sha = fingerprint(content.body, schema)
  return { entry, sha, content: known?.sha === sha ? undefined : content }
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
  changed.forEach(({ entry, sha, content }, i) => {
    const outcome = parsed.files[i]
    if (!outcome) return
    if (outcome.kind === 'read') {
      for (const doubt of outcome.version.doubts) context.report.note('remarks', entry.name, doubt)
      versions.set(outcome.version, { id: entry.id, sha, etag: content.etag })
      return
    }
    const result = leftOut(context, entry, outcome)
    if (result) states.set(entry.id, { sha, etag: content.etag, result })
  })
  return { title, schema: parsed.schema, versions, states }
}

type ChangedFile = LoadedFile & { readonly content: Content }

/** What is to be noted of a file that gives no version, beside the line in the report. */
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
      noteLeftOut(context, entry, outcome)
      return outcome
  }
}

/** What a file was left out for is said every time. */
function countUnchanged(context: LoadContext, entry: ExportEntry): void {
  const result = context.state.current(entry.id, context.allowLicenses)?.result
  if (!result || result.kind === 'stored') context.report.count({ unchanged: 1 })
  else noteLeftOut(context, entry, result)
}

function noteLeftOut(
  { report }: LoadContext,
  entry: ExportEntry,
  result: Exclude<FileState['result'], { readonly kind: 'stored' }>,
): void {
  const why = result.kind === 'empty' ? 'it holds no text' : refusalOf(result.license)
  report.note('skipped', entry.name, why)
}

/** The result, or a line in the report and undefined. */
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
