import { and, asc, eq, gt } from 'drizzle-orm'
import { estimateTokens } from '../../agent/tokens.ts'
import type { Executor } from '../../db/client.ts'
import { runEvents } from '../../db/schema/index.ts'
import { statement, turnCall } from '../../db/statement.ts'
import type { RunEvent } from '../run/run-events.ts'
import { type Attempt, appendParameters, appendValues } from './append-values.ts'
import type { StepRow } from './step-row.ts'
import type { WriteBatch } from './write-buffer.ts'

/** `epoch`: that of the owner that wrote the event. */
export type CommittedEvent = { readonly seq: number; readonly epoch: number; readonly event: RunEvent }

/** The run has a new owner or has ended. This owner may not write any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

type AppendResult = { owned: boolean; key_usable: boolean | null; enough: boolean | null }

const append = statement<AppendResult>(
  'append_to_run',
  `select owned, key_usable, enough from append_to_run_2(${appendParameters}, null, null)`,
  turnCall,
)

const prepareCall = statement<AppendResult>(
  'prepare_call',
  `select owned, key_usable, enough from append_to_run_2(${appendParameters}, :micros, :step)`,
  turnCall,
)

/**
 * A call that was sent: the number of events and the steps that it adds, and its result. `done` must be
 * awaited.
 */
export type Appending<T> = {
  readonly added: number
  readonly steps: readonly StepRow[]
  readonly done: Promise<T>
}

/**
 * Result of a call that prepares a model call. Fields are undefined for other calls; `keyUsable` also for a run
 * without a key.
 */
export type Appended = { readonly keyUsable?: boolean | undefined; readonly enough?: boolean | undefined }

/**
 * Appends events and steps under the owner's epoch, in one database call. Consecutive deltas are joined. `done`
 * rejects with LeaseLost, and nothing is written, if the epoch is not the run's, the run has ended, or its
 * counts differ from `before`.
 * @param next for a model call: its step, and the micro-credits to add to the hold. The hold stays unchanged if
 *   the account has too few credits or the run's key no longer works.
 */
export function appendEvents(
  executor: Executor,
  run: Attempt,
  before: { readonly eventCount: number; readonly stepCount: number },
  batch: WriteBatch,
  next?: { readonly step: number; readonly micros: bigint },
): Appending<Appended> {
  const values = appendValues(run, before, batch)
  const call = next ? prepareCall(executor, { ...values, ...next }) : append(executor, values)
  const done = call.then(([row]) => {
    if (!row?.owned) throw leaseLost(run)
    return { keyUsable: row.key_usable ?? undefined, enough: row.enough ?? undefined }
  })
  return { added: values.eventCount, steps: batch.steps, done }
}

export function leaseLost(run: { readonly id: string; readonly epoch: number }): LeaseLost {
  return new LeaseLost(`run ${run.id} has left epoch ${run.epoch}`)
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
