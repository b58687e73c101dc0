import { and, asc, eq, gt } from 'drizzle-orm'
import { estimateTokens } from '../../agent/tokens.ts'
import type { Executor } from '../../db/client.ts'
import { runEvents } from '../../db/schema/index.ts'
import { statement, turnCall } from '../../db/statement.ts'
import type { RunEvent } from '../run/run-events.ts'
import { type Attempt, appended, appendValues } from './append-values.ts'
import type { StepRow } from './step-row.ts'
import type { Waiting } from './write-buffer.ts'

/** `attempt` is the epoch of the owner that wrote it. */
export type CommittedEvent = { readonly seq: number; readonly attempt: number; readonly event: RunEvent }

/** The run was taken over, or has ended: this owner may write nothing more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

type AppendResult = { owned: boolean; key_usable: boolean | null; enough: boolean | null }

const append = statement<AppendResult>(
  'append_to_run',
  `select owned, key_usable, enough from append_to_run_2(${appended}, null, null)`,
  turnCall,
)

const prepareCall = statement<AppendResult>(
  'prepare_call',
  `select owned, key_usable, enough from append_to_run_2(${appended}, :micros, :step)`,
  turnCall,
)

/** A call that has been sent: how many events it adds and which steps, and its answer. `done` must be awaited. */
export type Appending<T> = {
  readonly added: number
  readonly steps: readonly StepRow[]
  readonly done: Promise<T>
}

/** What a call tells that was to make ready for the next model call: else, and for a run without a key, undefined. */
export type Appended = { readonly keyUsable?: boolean | undefined; readonly enough?: boolean | undefined }

/**
 * Appends events and steps under the owner's epoch, in one call: a transaction by itself, or a part of the caller's.
 * Deltas that follow one another are joined. `done` rejects with LeaseLost when the epoch is no longer the run's, or
 * the run has ended, or is not where `before` says; nothing is written then.
 * @param next given before a model call: its step, and what has to be set aside for it beyond what is held. When the
 * account has less, or the run's key does not work any more, the hold stays as it is.
 */
export function appendEvents(
  executor: Executor,
  run: Attempt,
  before: { readonly eventCount: number; readonly stepCount: number },
  waiting: Waiting,
  next?: { readonly step: number; readonly micros: bigint },
): Appending<Appended> {
  const values = appendValues(run, before, waiting)
  const call = next ? prepareCall(executor, { ...values, ...next }) : append(executor, values)
  const done = call.then(([row]) => {
    if (!row?.owned) throw leaseLost(run)
    return { keyUsable: row.key_usable ?? undefined, enough: row.enough ?? undefined }
  })
  return { added: values.eventCount, steps: waiting.steps, done }
}

export function leaseLost(run: { readonly id: string; readonly epoch: number }): LeaseLost {
  return new LeaseLost(`run ${run.id} has left epoch ${run.epoch}`)
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

/** What an attempt has said in a step, void now or not: of several attempts the one that said most, by our estimate. */
export function longestText(events: readonly CommittedEvent[], step: number): string {
  const said = new Map<number, string>()
  for (const { attempt, event } of events) {
    if (event.type !== 'text.delta' || event.step !== step) continue
    said.set(attempt, (said.get(attempt) ?? '') + event.text)
  }
  return [...said.values()].reduce((a, b) => (estimateTokens(b) > estimateTokens(a) ? b : a), '')
}
