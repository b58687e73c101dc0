import { type Database, withTx } from '../db/client.ts'
import { type CommittedEvent, withoutVoid } from './event-log.ts'
import { readOn } from './kept-events.ts'
import type { RunEvent } from './run-events.ts'
import type { Runner } from './runner.ts'

/** A reader looks when it hears of news, and after this time in any case: a signal may be lost. */
const pollMs = 1_000

/**
 * All events of a run from its start, in batches, up to its end. From memory when this process drives the run, else
 * from the committed log. Returns early when `signal` is aborted, when the driving process gave the run up midway, or
 * when text that was shown already became void.
 */
export async function* followRun(
  services: { readonly database: Database; readonly runner: Runner },
  run: { readonly id: string; readonly accountId: string },
  signal: AbortSignal,
): AsyncGenerator<readonly RunEvent[]> {
  let position = 0
  let lastTextSeq = 0
  while (!signal.aborted) {
    const live = position === 0 ? services.runner.find(run.id) : undefined
    if (live) {
      yield* live.read(signal)
      return
    }
    // Before looking, so that what is committed meanwhile is not waited for.
    const news = services.runner.signals.waitForEvents(run.id, pollMs, signal)
    const { events: committed, over } = await withTx(services.database, run, (tx) =>
      readOn(tx, run.id, position),
    )
    if (committed.length > 0) {
      // Text that was shown and is void now cannot be taken back: the reader has to begin anew.
      if (takesBack(committed, lastTextSeq)) return
      position = committed.at(-1)?.seq ?? position
      const kept = withoutVoid(committed)
      lastTextSeq = kept.findLast(({ event }) => event.type === 'text.delta')?.seq ?? lastTextSeq
      yield kept.map(({ event }) => event)
    }
    if (over) return
    await news
  }
}

function takesBack(committed: readonly CommittedEvent[], lastTextSeq: number): boolean {
  return committed.some(({ event }) => event.type === 'step.restarted' && event.void_from_seq <= lastTextSeq)
}

/**
 * The committed events of a run after `afterSeq`, void ones and their markers included, up to its end: what any
 * replica can show, with numbers that a reader can come back with.
 */
export async function* followCommitted(
  services: { readonly database: Database; readonly runner: Runner },
  run: { readonly id: string; readonly accountId: string },
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<readonly CommittedEvent[]> {
  let position = afterSeq
  while (!signal.aborted) {
    const news = services.runner.signals.waitForEvents(run.id, pollMs, signal)
    const { events, over } = await withTx(services.database, run, (tx) => readOn(tx, run.id, position))
    if (events.length > 0) yield events
    position = events.at(-1)?.seq ?? position
    // A reader that comes after the last event has nothing to wait for.
    if (over) return
    await news
  }
}
