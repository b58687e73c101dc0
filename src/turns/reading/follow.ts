import { type Database, withTx } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { retryTransient } from '../../db/retry.ts'
import type { Logger } from '../../log.ts'
import type { Hear, LiveRun } from '../execution/live-runs.ts'
import type { Runner } from '../ownership/runner.ts'
import { type CommittedEvent, voidRemoved } from '../recording/event-log.ts'
import type { Run } from '../run/run.ts'
import { isTerminal, type RunEvent, stepOf, type TerminalEvent } from '../run/run-events.ts'
import { type LogPage, readAfter } from './kept-events.ts'
import { ReplayFilter } from './replay-filter.ts'

/** A reader looks when it hears of news, and after this time in any case: a signal may be lost. */
const pollMs = 1_000

/** How long a reader bears with a database that is away: longer than a restart or a failover takes. */
const timeoutMs = 60_000

/** Events that are handed on at once: what waits for a slow reader stays small. */
const batchLength = 64

export type ReaderServices = {
  readonly database: Database
  readonly runner: Runner
  readonly log: Pick<Logger, 'warn'>
}
type NamedRun = { readonly id: string; readonly accountId: string }

/** Takes events on; what it returns has to be waited for before it is given more. */
export type Hand<Event> = (news: readonly Event[]) => Promise<void> | undefined

/**
 * Hands on all events of a run from its start, in batches, up to its end, across takeovers: nothing that was handed on
 * is repeated, and text always continues the text before it. It comes back without an end when `signal` is aborted, when
 * this process leaves, when the database has failed it for a minute, or when a new attempt contradicts text that was
 * handed on already (see `ReplayFilter`). It throws what `hand` throws.
 */
export function followRun(
  services: ReaderServices,
  run: NamedRun,
  signal: AbortSignal,
  hand: Hand<RunEvent>,
): Promise<void> {
  const shown = new ReplayFilter()
  return tell(services, run, signal, ({ events, anew }) => {
    if (anew) shown.anew()
    const { news, contradicted } = shown.take(events)
    const enough = contradicted || news.some(isTerminal)
    const taken = news.length > batchLength ? inBatches(news, hand) : hand(news)
    return taken === undefined ? enough : taken.then(() => enough)
  })
}

async function inBatches(news: readonly RunEvent[], hand: Hand<RunEvent>): Promise<void> {
  for (let at = 0; at < news.length; at += batchLength) await hand(news.slice(at, at + batchLength))
}

/**
 * Waits for the end of a run, whoever drives it. Undefined when `signal` is aborted, when this process leaves, or when
 * the database has failed it for a minute.
 */
export async function endOfRun(
  services: ReaderServices,
  run: NamedRun,
  signal: AbortSignal,
): Promise<TerminalEvent | undefined> {
  let end: TerminalEvent | undefined
  await tell(services, run, signal, ({ events }) => {
    end = events.find(isTerminal)
    return end !== undefined
  })
  return end
}

/** `anew`: the run is told from its first event again, because another source of its events is read from now on. */
type Telling = { readonly events: readonly RunEvent[]; readonly anew: boolean }

/** From memory while this process drives the run, else from the committed log. */
async function tell(
  services: ReaderServices,
  run: NamedRun,
  signal: AbortSignal,
  hear: Hear<Telling>,
): Promise<void> {
  const { runner } = services
  let stopped: AbortSignal | undefined
  let heard: LiveRun | undefined
  let log = new CertainLog()
  while (!signal.aborted && !runner.leaving.aborted) {
    const live = runner.find(run.id)
    if (live && live !== heard && !live.abandoned) {
      heard = live
      let anew = true
      const hearLive = (events: readonly RunEvent[]) => {
        const telling = { events, anew }
        anew = false
        return hear(telling)
      }
      if (await live.read(signal, hearLive)) return
      log = new CertainLog()
      continue
    }
    // Not for those who read from memory, which are thousands: their runs are given up before the process leaves.
    stopped ??= AbortSignal.any([signal, runner.leaving])
    // Before looking, so that what is committed meanwhile is not waited for.
    const news = runner.signals.waitForEvents(run.id, pollMs, stopped)
    const anew = log.position === 0
    const look = await lookAt(services, run, log.position, stopped)
    if (!look) return
    if (await hear({ events: log.take(look), anew })) return
    if (look.over) return
    await news
  }
}

/** Undefined when aborted, or when the run cannot be read. */
async function lookAt(
  { database, log }: ReaderServices,
  run: NamedRun,
  position: number,
  signal: AbortSignal,
  most?: number,
): Promise<LogPage | undefined> {
  const look = () => withTx(database, run, (tx) => readAfter(tx, run.id, position, most))
  try {
    return await retryTransient(look, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
  } catch (error) {
    if (signal.aborted) return undefined
    const reason = reasonOf(error)
    log.warn({ runId: run.id, reason }, 'a reader of a run was given up')
    return undefined
  }
}

/**
 * Reads the committed log for someone who cannot take back what was shown. Events of an unfinished step may have been
 * written by an owner that is gone and be void soon: they wait until the run's owner gave a sign of life after the
 * reader came. So a client that comes back after its replica died sees none of them.
 */
class CertainLog {
  /** `seq` of the last event that was taken. */
  position = 0
  #first: Run | undefined

  /** Takes the events that can be shown out of those after `position`. */
  take({ events, over, run }: LogPage): readonly RunEvent[] {
    const valid = voidRemoved(events)
    this.#first ??= run
    const isCertain = ({ event, attempt }: CommittedEvent) =>
      over ||
      run === undefined ||
      event.type === 'step.restarted' ||
      stepOf(event) <= run.stepCount ||
      (attempt >= run.epoch && hasLivedSince(this.#first ?? run, run))
    const firstUncertain = valid.find((item) => !isCertain(item))
    this.position = firstUncertain ? firstUncertain.seq - 1 : (events.at(-1)?.seq ?? this.position)
    return valid.filter(({ seq }) => seq <= this.position).map(({ event }) => event)
  }
}

/** Whether someone has claimed the run, prolonged its lease or written to its log since it looked like `first`. */
function hasLivedSince(first: Run, now: Run): boolean {
  const leasedUntil = (run: Run) => run.leaseExpiresAt?.getTime() ?? 0
  return now.epoch > first.epoch || now.eventCount > first.eventCount || leasedUntil(now) > leasedUntil(first)
}

/**
 * Hands on the committed events of a run after `afterSeq`, void ones and their markers included, up to its end: what any
 * replica can show, with numbers that a reader can come back with. Comes back early when aborted, when this process
 * leaves, when the database has failed it for a minute, or when `hear` has heard enough.
 * @param options.together hands on in one piece what there is at first, so that all of it that is void can be told.
 */
export async function followCommitted(
  services: ReaderServices,
  run: NamedRun,
  afterSeq: number,
  signal: AbortSignal,
  hear: Hear<readonly CommittedEvent[]>,
  options: { readonly together?: boolean } = {},
): Promise<void> {
  const { runner } = services
  const stopped = AbortSignal.any([signal, runner.leaving])
  let position = afterSeq
  let most = options.together ? undefined : batchLength
  while (!stopped.aborted) {
    const news = runner.signals.waitForEvents(run.id, pollMs, stopped)
    const look = await lookAt(services, run, position, stopped, most)
    if (!look) return
    if (look.events.length > 0 && (await hear(look.events))) return
    position = look.events.at(-1)?.seq ?? position
    // A reader that comes after the last event has nothing to wait for.
    if (look.over) return
    if (most === undefined || look.events.length < most) await news
    most = batchLength
  }
}
