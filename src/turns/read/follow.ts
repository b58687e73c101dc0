import { type Database, withTx } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { retryTransient } from '../../db/retry.ts'
import type { Logger } from '../../log.ts'
import type { BatchListener, LiveRun } from '../drive/live-runs.ts'
import type { Runner } from '../drive/runner.ts'
import { foldLog } from '../record/fold-log.ts'
import { type CommittedEvent, type Log, type LogPage, readLog } from '../record/run-log.ts'
import type { Run } from '../run/run.ts'
import { isTerminal, type RunEvent, stepOf, type TerminalEvent } from '../run/run-events.ts'
import { ReplayFilter } from './replay-filter.ts'

/** A reader also looks after this time, because a signal may be lost. */
const pollMs = 1_000

/** How long a reader waits for an unavailable database. A restart or a failover takes less. */
const timeoutMs = 60_000

/** Events, or writes, per batch. It bounds what is buffered for a slow reader. */
const batchLength = 64

export type ReaderServices = {
  readonly database: Database
  readonly runner: Runner
  readonly log: Pick<Logger, 'warn'>
}
type NamedRun = { readonly id: string; readonly accountId: string }

/** Receives events. If it returns a promise, the next events come after that promise resolves. */
export type EventListener<Event> = (news: readonly Event[]) => Promise<void> | undefined

/**
 * Passes all events of a run to `onEvents` in batches, from its start to its end, across takeovers. No event is
 * repeated, and text always continues the earlier text. It returns without an end if `signal` is aborted, if
 * this process shuts down, if the database is unavailable for a minute, or if a new attempt contradicts text
 * that was already passed (see `ReplayFilter`).
 * @throws what `onEvents` throws.
 */
export function followRun(
  services: ReaderServices,
  run: NamedRun,
  signal: AbortSignal,
  onEvents: EventListener<RunEvent>,
): Promise<void> {
  const shown = new ReplayFilter()
  return followEvents(services, run, signal, ({ events, reset }) => {
    if (reset) shown.reset()
    const { news, contradicted } = shown.take(events)
    const enough = contradicted || news.some(isTerminal)
    const taken = news.length > batchLength ? inBatches(news, onEvents) : onEvents(news)
    return taken === undefined ? enough : taken.then(() => enough)
  })
}

async function inBatches(news: readonly RunEvent[], onEvents: EventListener<RunEvent>): Promise<void> {
  for (let at = 0; at < news.length; at += batchLength) await onEvents(news.slice(at, at + batchLength))
}

/**
 * Waits for the end of a run on any replica. Undefined if `signal` is aborted, if this process shuts down, or
 * if the database is unavailable for a minute.
 */
export async function endOfRun(
  services: ReaderServices,
  run: NamedRun,
  signal: AbortSignal,
): Promise<TerminalEvent | undefined> {
  let end: TerminalEvent | undefined
  await followEvents(services, run, signal, ({ events }) => {
    end = events.find(isTerminal)
    return end !== undefined
  })
  return end
}

/** `reset`: the source of events has changed, so the run starts again from its first event. */
type EventBatch = { readonly events: readonly RunEvent[]; readonly reset: boolean }

/** Reads from memory while this process drives the run, otherwise from the committed log. */
async function followEvents(
  services: ReaderServices,
  run: NamedRun,
  signal: AbortSignal,
  onBatch: BatchListener<EventBatch>,
): Promise<void> {
  const { runner } = services
  let stopped: AbortSignal | undefined
  let lastLive: LiveRun | undefined
  let log = new CertainLog()
  while (!signal.aborted && !runner.leaving.aborted) {
    const live = runner.find(run.id)
    if (live && live !== lastLive && !live.abandoned) {
      lastLive = live
      let reset = true
      const onLiveBatch = (events: readonly RunEvent[]) => {
        const batch = { events, reset }
        reset = false
        return onBatch(batch)
      }
      if (await live.read(signal, onLiveBatch)) return
      log = new CertainLog()
      continue
    }
    // Only readers of the log need this signal. The thousands that read from memory end when their runs are
    // abandoned.
    stopped ??= AbortSignal.any([signal, runner.leaving])
    // Subscribe before reading, so that a commit in between is not missed.
    const news = runner.signals.waitForEvents(run.id, pollMs, stopped)
    const reset = log.position === 0
    const page = await readPage(services, run, log.position, stopped)
    if (!page) return
    if (await onBatch({ events: log.take(page), reset })) return
    if (page.over) return
    await news
  }
}

/** Reads one page of the log. Undefined if it was aborted or the run cannot be read. */
async function readPage(
  { database, log }: ReaderServices,
  run: NamedRun,
  position: number,
  signal: AbortSignal,
  limit?: number,
): Promise<LogPage | undefined> {
  const read = () => withTx(database, run, (tx) => readLog(tx, run.id, position, limit))
  try {
    return await retryTransient(read, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
  } catch (error) {
    if (signal.aborted) return undefined
    const reason = reasonOf(error)
    log.warn({ runId: run.id, reason }, 'a reader of a run was given up')
    return undefined
  }
}

/**
 * Reads the committed log for a reader that cannot take back text. Events of an unfinished step may soon become
 * void, if their owner is lost. They are held back until the run's owner has renewed its lease or written
 * something since the reader began.
 */
class CertainLog {
  /** `seq` of the last event that was passed. */
  position = 0
  #first: Run | undefined

  /** Returns those events after `position` that can safely be shown. */
  take(page: LogPage): readonly RunEvent[] {
    const { over, run } = page
    const { marked: valid } = foldLog(page)
    this.#first ??= run
    const isCertain = ({ event, epoch }: CommittedEvent) =>
      over ||
      run === undefined ||
      event.type === 'step.restarted' ||
      stepOf(event) <= run.stepCount ||
      (epoch >= run.epoch && hasLivedSince(this.#first ?? run, run))
    const firstUncertain = valid.find((item) => !isCertain(item))
    this.position = firstUncertain ? firstUncertain.seq - 1 : (page.events.at(-1)?.seq ?? this.position)
    return valid.filter(({ seq }) => seq <= this.position).map(({ event }) => event)
  }
}

/** Whether the run was claimed, renewed or written to between these two reads of its row. */
function hasLivedSince(first: Run, now: Run): boolean {
  const leasedUntil = (run: Run) => run.leaseExpiresAt?.getTime() ?? 0
  return now.epoch > first.epoch || now.eventCount > first.eventCount || leasedUntil(now) > leasedUntil(first)
}

/**
 * Passes what was committed after `afterSeq` up to the run's end, including void events and their markers.
 * Any replica can show them, and a reader can resume by `seq`. Ends early if aborted, if this process shuts
 * down, if the database is unavailable for a minute, or if `onBatch` returns true.
 * @param options.together passes all existing events as one batch, so that void ones among them can be marked.
 */
export async function followCommitted(
  services: ReaderServices,
  run: NamedRun,
  afterSeq: number,
  signal: AbortSignal,
  onBatch: BatchListener<Log>,
  options: { readonly together?: boolean } = {},
): Promise<void> {
  const { runner } = services
  const stopped = AbortSignal.any([signal, runner.leaving])
  let position = afterSeq
  let limit = options.together ? undefined : batchLength
  while (!stopped.aborted) {
    const news = runner.signals.waitForEvents(run.id, pollMs, stopped)
    const page = await readPage(services, run, position, stopped, limit)
    if (!page) return
    if (page.events.length > 0 && (await onBatch(page))) return
    position = page.events.at(-1)?.seq ?? position
    // A reader that starts after the last event gets nothing.
    if (page.over) return
    if (page.isWhole) await news
    limit = batchLength
  }
}
