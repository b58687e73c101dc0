import { Gauge, type Registry } from 'prom-client'
import { reasonOf } from '../db/errors.ts'
import { isReadOnly, type LibraryDatabase } from '../db/library/library-database.ts'
import { migrateLibrary } from '../db/library/library-schema.ts'
import type { Logger } from '../log.ts'
import { startPeriodicTask } from '../periodic-work.ts'
import type { ExportPlace } from '../sources/collections/export-place.ts'
import { ensureStarterLibrary } from '../sources/importers/starter.ts'
import { ensureSearchIndex, finishIndex } from '../sources/library/writing/reindex.ts'
import { runLibraryJobs } from '../sources/library-jobs/run-jobs.ts'

export type LibraryState = 'ok' | 'read-only' | 'unavailable'

export type LibraryUpkeep = {
  /** As of the newest look, at most 10 seconds ago. Undefined: the library is in the main database. */
  readonly state: () => LibraryState | undefined
  /** Ends all work on the library. A running import stops after its current work. */
  stop(): Promise<void>
}

export type UpkeepOptions = {
  readonly exportPlace: ExportPlace
  readonly registry: Registry
  readonly log: Logger
  /** Interval between two looks at a separate library database. */
  readonly everyMs?: number
}

/**
 * Prepares the library and works on it: the schema, the starter library, the search index, queued imports. In a separate
 * database it begins as soon as that answers and may be written; a look every 5 seconds shows its state. It resolves
 * after the first look.
 * @throws database errors when the library is in the main database.
 */
export async function keepLibrary(library: LibraryDatabase, options: UpkeepOptions): Promise<LibraryUpkeep> {
  const { registry, log, everyMs = 5_000 } = options
  let hasSchema = false
  let work: { stop(): Promise<void> } | undefined
  const look = async (): Promise<LibraryState> => {
    // The server may not have answered at the start.
    if (!hasSchema) await migrateLibrary(library)
    hasSchema = true
    if (await isReadOnly(library.system)) return 'read-only'
    if (!work) {
      await ensureStarterLibrary(library)
      work = workOn(library, options)
    }
    return 'ok'
  }
  let state: LibraryState = 'unavailable'
  if (!library.isSeparate) {
    await look()
    return { state: () => undefined, stop: async () => work?.stop() }
  }
  registerLibraryState(registry, () => state)
  const round = async () => {
    const before = state
    try {
      state = await look()
      if (state !== before) log.info({ state }, 'the library database can be used')
    } catch (error) {
      state = 'unavailable'
      if (state !== before) log.warn({ reason: reasonOf(error) }, 'the library database cannot be used')
    }
  }
  await round()
  const rounds = startPeriodicTask(round, everyMs, () => undefined)
  return {
    state: () => state,
    async stop() {
      await rounds.stop()
      await work?.stop()
    },
  }
}

const completeMs = 60_000

/** Work that writes the library: its search index, and imports of collections. */
function workOn(library: LibraryDatabase, { exportPlace, log }: UpkeepOptions): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const indexing = renewIndex(library, signal, log)
  // What an interrupted import left without an index. The next process completes a round that is stopped.
  const completed = async () => {
    if (await finishIndex(library, signal)) log.info('texts of an import that was cut off were indexed')
  }
  const completing = startPeriodicTask(completed, completeMs, (error) => {
    if (!signal.aborted) log.warn({ reason: reasonOf(error) }, 'texts could not be indexed')
  })
  const jobs = [completing, runLibraryJobs(library, exportPlace, log)]
  return {
    async stop() {
      stopping.abort()
      await Promise.all([indexing, ...jobs.map((job) => job.stop())])
    },
  }
}

/** A new version may split words differently. The index is then rebuilt while the old one still answers. */
async function renewIndex(library: LibraryDatabase, signal: AbortSignal, log: Logger): Promise<void> {
  try {
    if (await ensureSearchIndex(library, { signal })) log.info('the search index was rebuilt')
  } catch (error) {
    if (signal.aborted) log.info('rebuilding the search index was stopped: the next start begins it again')
    else log.error({ reason: reasonOf(error) }, 'the search index could not be rebuilt')
  }
}

/** Registers the metric of a separate library database. */
export function registerLibraryState(registry: Registry, state: () => LibraryState): void {
  new Gauge({
    name: 'service_library_up',
    help: 'Whether the separate database of the library answers, 0 or 1',
    registers: [registry],
    collect() {
      this.set(state() === 'unavailable' ? 0 : 1)
    },
  })
}
