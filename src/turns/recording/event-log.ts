import { and, asc, eq, gt } from 'drizzle-orm'
import { estimateTokens } from '../../agent/tokens.ts'
import type { Executor } from '../../db/client.ts'
import { runEvents } from '../../db/schema/index.ts'
import type { RunEvent } from '../run/run-events.ts'

/** `epoch`: that of the owner that wrote the event. */
export type CommittedEvent = { readonly seq: number; readonly epoch: number; readonly event: RunEvent }

/** The run has a new owner or has ended. This owner may not write any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * Reads the committed events after `seq`, in order: all of them, or the first `limit`. The limits of a turn
 * bound their number.
 */
export async function readEvents(
  executor: Executor,
  runId: string,
  afterSeq: number,
  limit?: number,
): Promise<readonly CommittedEvent[]> {
  const rows = executor
    .select({ seq: runEvents.seq, epoch: runEvents.epoch, event: runEvents.event })
    .from(runEvents)
    .where(and(eq(runEvents.runId, runId), gt(runEvents.seq, afterSeq)))
    .orderBy(asc(runEvents.seq))
  return (await (limit === undefined ? rows : rows.limit(limit))) as readonly CommittedEvent[]
}

/** Removes events that a later attempt declared void, and the markers that declare it. */
export function withoutVoid(events: readonly CommittedEvent[]): readonly CommittedEvent[] {
  return voidRemoved(events).filter(({ event }) => event.type !== 'step.restarted')
}

/** Removes void events but keeps the markers, for a reader that may have shown void events. */
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

/** The longest text, by estimated tokens, that an attempt produced in a step. Void text counts too. */
export function longestText(events: readonly CommittedEvent[], step: number): string {
  const said = new Map<number, string>()
  for (const { epoch, event } of events) {
    if (event.type !== 'text.delta' || event.step !== step) continue
    said.set(epoch, (said.get(epoch) ?? '') + event.text)
  }
  return [...said.values()].reduce((a, b) => (estimateTokens(b) > estimateTokens(a) ? b : a), '')
}
