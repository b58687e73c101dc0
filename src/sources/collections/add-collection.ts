import type { Database } from '../../db/client.ts'
import type { ExportSource } from '../importers/sefaria/export-source.ts'
import type { Parser } from '../importers/sefaria/format/parser.ts'
import { importExport, type Progress } from '../importers/sefaria/import-export.ts'
import type { SefariaReport } from '../importers/sefaria/report.ts'
import type { RestrictedLicense } from '../library/licenses.ts'
import { filesOf, type Plan } from './plan.ts'
import type { Survey } from './survey.ts'

/** Progress of an import, with the share of its work that is done, from 0 to 1. */
export type CollectionProgress = Progress & { readonly share: number }

export type AddOptions = {
  readonly allowLicenses: readonly RestrictedLicense[]
  readonly survey: Survey
  readonly onProgress?: (progress: CollectionProgress) => void
  /** Stops the import after the current work. */
  readonly signal?: AbortSignal
  readonly parser?: Parser
}

/**
 * Imports the works of a plan in its order. Like every import of an export it continues where it was stopped, and
 * skips what has not changed.
 */
export async function addCollection(
  database: Database,
  source: ExportSource,
  plan: Plan,
  { survey, onProgress, ...options }: AddOptions,
): Promise<SefariaReport> {
  const meter = createMeter(plan, survey, onProgress)
  const chosen: ExportSource = {
    ...source,
    entries: filesOf(plan),
    merged: 0,
    async read(entry, etag) {
      const content = await untilAborted(source.read(entry, etag), options.signal)
      meter.read(entry.id, entry.title)
      return content
    },
    schema: (title) => untilAborted(source.schema(title), options.signal),
  }
  const all = { titles: [], categories: [] }
  const report = await importExport(database, chosen, { ...options, ...all, onProgress: meter.stored })
  return report.interrupted
    ? { ...report, failed: report.failed.filter(({ why }) => why !== stopped) }
    : report
}

const stopped = 'the import was stopped'

/** A download may wait for minutes. Nothing is stored after the abort, so its result is not needed. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(new Error(stopped))
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop))
}

/** Half of the share counts files that were read, the other half works that were stored, by their size. */
function createMeter(plan: Plan, survey: Survey, tell: AddOptions['onProgress']) {
  const begun = performance.now()
  const sizes = new Map(filesOf(plan).map(({ id }) => [id, survey.bytes.get(id) ?? 10_000]))
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const unread = new Map(sizes)
  let [read, stored] = [0, 0]
  let last: Progress = { done: 0, total: plan.works.length, title: '', segments: 0, words: 0, seconds: 0 }
  const emit = (): void => {
    const share = total === 0 ? 1 : (read + stored) / (2 * total)
    tell?.({ ...last, share: last.done === last.total ? 1 : Math.min(share, 0.999) })
  }
  return {
    read(id: string, title: string): void {
      read += unread.get(id) ?? 0
      unread.delete(id)
      if (last.done === last.total) return
      last = { ...last, title: last.title || title, seconds: (performance.now() - begun) / 1_000 }
      emit()
    },
    stored(step: Progress): void {
      last = step
      stored = plan.works
        .slice(0, step.done)
        .flatMap(({ entries }) => entries)
        .reduce((sum, { id }) => sum + (sizes.get(id) ?? 0), 0)
      emit()
    },
  }
}
