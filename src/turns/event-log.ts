import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { runEvents, runs } from '../db/schema/index.ts'
import { type RunEvent, stepOf } from './run-events.ts'

export type CommittedEvent = { readonly seq: number; readonly event: RunEvent }

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

/** Committed events after `seq`, in order. Bounded by what one turn may say. */
export async function readEvents(
  executor: Executor,
  runId: string,
  afterSeq: number,
): Promise<readonly CommittedEvent[]> {
  const rows = await executor
    .select({ seq: runEvents.seq, event: runEvents.event })
    .from(runEvents)
    .where(and(eq(runEvents.runId, runId), gt(runEvents.seq, afterSeq)))
    .orderBy(asc(runEvents.seq))
  return rows as readonly CommittedEvent[]
}

/** Leaves out what a later attempt has declared void. */
export function withoutVoid(events: readonly CommittedEvent[]): readonly CommittedEvent[] {
  let kept: CommittedEvent[] = []
  for (const item of events) {
    if (item.event.type === 'step.restarted') {
      const from = item.event.void_from_seq
      kept = kept.filter(({ seq }) => seq < from)
    } else {
      kept.push(item)
    }
  }
  return kept
}
