import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { runEvents, runs } from '../db/schema/index.ts'
import { type RunEvent, stepOf } from './run-events.ts'

/** `attempt` is the epoch of the owner that wrote it. */
export type CommittedEvent = { readonly seq: number; readonly attempt: number; readonly event: RunEvent }

/** The run was taken over, or has ended: this owner may write nothing more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * Appends events under the owner's epoch, in the caller's transaction. Deltas that follow one another are joined.
 * @returns how many events the run has now.
 * @throws LeaseLost when the epoch is no longer the run's, or the run has ended.
 */
export async function appendEvents(
  executor: Executor,
  run: { readonly id: string; readonly accountId: string; readonly epoch: number },
  events: readonly RunEvent[],
): Promise<number> {
  const joined = joinDeltas(events)
  const [owned] = await executor
    .update(runs)
    .set({ eventCount: sql`${runs.eventCount} + ${joined.length}` })
    .where(and(eq(runs.id, run.id), eq(runs.epoch, run.epoch), eq(runs.status, 'in_progress')))
    .returning({ eventCount: runs.eventCount })
  if (!owned) throw new LeaseLost(`run ${run.id} has left epoch ${run.epoch}`)
  if (joined.length === 0) return owned.eventCount
  const first = owned.eventCount - joined.length + 1
  await executor.insert(runEvents).values(
    joined.map((event, i) => ({
      runId: run.id,
      seq: first + i,
      accountId: run.accountId,
      step: stepOf(event),
      attempt: run.epoch,
      event,
    })),
  )
  return owned.eventCount
}

function joinDeltas(events: readonly RunEvent[]): RunEvent[] {
  const joined: RunEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    if (event.type === 'text.delta' && last?.type === 'text.delta' && last.step === event.step) {
      joined[joined.length - 1] = { ...last, text: last.text + event.text }
    } else {
      joined.push(event)
    }
  }
  return joined
}

/** Committed events after `seq`, in order: all of them, bounded by what one turn may say, or the first `most`. */
export async function readEvents(
  executor: Executor,
  runId: string,
  afterSeq: number,
  most?: number,
): Promise<readonly CommittedEvent[]> {
  const rows = executor
    .select({ seq: runEvents.seq, attempt: runEvents.attempt, event: runEvents.event })
    .from(runEvents)
    .where(and(eq(runEvents.runId, runId), gt(runEvents.seq, afterSeq)))
    .orderBy(asc(runEvents.seq))
  return (await (most === undefined ? rows : rows.limit(most))) as readonly CommittedEvent[]
}

/** Leaves out what a later attempt has declared void, and the markers that say so. */
export function withoutVoid(events: readonly CommittedEvent[]): readonly CommittedEvent[] {
  return voidRemoved(events).filter(({ event }) => event.type !== 'step.restarted')
}

/** The same, with the markers: for a reader that may have shown what they declare void. */
export function voidRemoved(events: readonly CommittedEvent[]): readonly CommittedEvent[] {
  let kept: CommittedEvent[] = []
  for (const item of events) {
    if (item.event.type === 'step.restarted') {
      const from = item.event.void_from_seq
      kept = kept.filter(({ seq, event }) => seq < from || event.type === 'step.restarted')
    }
    kept.push(item)
  }
  return kept
}
