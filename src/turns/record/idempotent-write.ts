import { eq, sql } from 'drizzle-orm'
import { lockAccountRow } from '../../accounts/accounts.ts'
import { findReachedCap } from '../../billing/key-spending.ts'
import type { Executor } from '../../db/client.ts'
import { retryTransient } from '../../db/retry.ts'
import { runs } from '../../db/schema/index.ts'
import type { Run } from '../run/run.ts'
import { LeaseLost } from './run-log.ts'
import {
  type Added,
  KeyHasCaps,
  type Send,
  sendIn,
  type TurnStore,
  type WriteAnswer,
  type WritePurpose,
  writeToRun,
} from './turn-store.ts'

/** One write: what it does, what it appends, and the progress of the run before it. */
export type Write = {
  readonly purpose: WritePurpose
  readonly added: Added
  readonly before: Progress
  /** A write of a tool, in the same transaction. Returns what is appended in place of `added`. */
  readonly change?: ((tx: Executor) => Promise<Added>) | undefined
}

/** A write that succeeded. `answer` is undefined for a write in a batch with other runs. */
export type Written = {
  readonly added: Added
  readonly progress: Progress
  readonly answer?: WriteAnswer | undefined
}

/**
 * Performs a write exactly once, with as many attempts as needed. If an attempt has an unknown outcome, the next
 * one locks the run's row and first checks whether the write was committed.
 * @param unconfirmed the progress after an earlier attempt that may have succeeded.
 * @throws LeaseLost if the run has another owner, has ended, or is in an unexpected state.
 */
export function writeIdempotently(
  store: TurnStore,
  run: Run,
  { purpose, added: given, before, change }: Write,
  leave: AbortSignal,
  unconfirmed?: Progress,
): Promise<Written> {
  let last = unconfirmed && { added: given, progress: unconfirmed }
  const write = async (send: Send, added: Added, meant: WritePurpose): Promise<Written> => {
    const progress = progressAfter(purpose, added, before)
    last = { added, progress }
    const answer = await writeToRun(send, { ...run, ...before }, added, meant)
    if (!answer.owned) throw new LeaseLost(`run ${run.id} has left epoch ${run.epoch}`)
    const holdMicros = answer.enough === false ? before.holdMicros : progress.holdMicros
    return { added, answer, progress: { ...progress, holdMicros } }
  }
  const inTransaction = () =>
    store.transaction(run.accountId, async (tx) => {
      // Every transaction that locks the account's row locks it first.
      if (purpose.kind !== 'append') await lockAccountRow(tx, run.accountId)
      const found = last && (await findCommitted(tx, run, before, last.progress))
      if (last && found) {
        const answer = { owned: true, keyUsable: found.keyUsable }
        return { added: last.added, progress: found.progress, answer }
      }
      const added = change ? await change(tx) : given
      return write(sendIn(tx), added, await withCaps(tx, run, purpose))
    })
  const attempt = async () => {
    if (last || change) return inTransaction()
    try {
      return await write(store.sendTo(run.accountId), given, purpose)
    } catch (error) {
      if (!(error instanceof KeyHasCaps)) throw error
      last = undefined
      return inTransaction()
    }
  }
  return retryTransient(attempt, leave)
}

/** Under the account's lock, so that two turns cannot use the same room below a cap. */
async function withCaps(tx: Executor, run: Run, purpose: WritePurpose): Promise<WritePurpose> {
  if (purpose.kind !== 'prepareCall') return purpose
  const { accountId, apiKeyId: keyId } = run
  const cap = keyId && (await findReachedCap(tx, { accountId, keyId, micros: purpose.more }))
  return { ...purpose, allowed: !cap }
}

/** The progress after a write that succeeds completely. */
export function progressAfter(purpose: WritePurpose, { events, steps }: Added, before: Progress): Progress {
  return {
    eventCount: before.eventCount + events.length,
    stepCount: before.stepCount + steps.length,
    holdMicros: before.holdMicros + (purpose.kind === 'prepareCall' ? purpose.more : 0n),
    ended: purpose.kind === 'end',
  }
}

/**
 * How far the writes of an attempt have come, according to the run's row. Each write changes at least one of
 * these fields.
 */
export type Progress = Pick<Run, 'eventCount' | 'stepCount' | 'holdMicros'> & { readonly ended: boolean }

/**
 * Finds out whether a transaction whose COMMIT got no answer succeeded. It locks the run's row, so a
 * transaction that still holds the row is waited for. A late call writes nothing: it finds other counts, and a
 * hold is extended in the same statement.
 * @param after the expected state if everything could be held; otherwise only the hold differs.
 * @returns undefined if it did not succeed; otherwise also whether the run's key works now, null for a run without a key.
 * @throws LeaseLost if the run has another owner or is in an unexpected state.
 */
async function findCommitted(tx: Executor, run: Run, before: Progress, after: Progress) {
  const [now] = await tx
    .select({
      epoch: runs.epoch,
      status: runs.status,
      eventCount: runs.eventCount,
      stepCount: runs.stepCount,
      holdMicros: runs.holdMicros,
      keyUsable: sql<boolean | null>`case when ${runs.apiKeyId} is not null then exists (
        select from api_keys k where k.id = ${runs.apiKeyId} and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > now())) end`,
    })
    .from(runs)
    .where(eq(runs.id, run.id))
    .for('update')
  if (now?.epoch !== run.epoch) throw new LeaseLost(`run ${run.id} has left epoch ${run.epoch}`)
  const is = (then: Progress) =>
    now.eventCount === then.eventCount &&
    now.stepCount === then.stepCount &&
    now.holdMicros === then.holdMicros &&
    (now.status !== 'in_progress') === then.ended
  const { keyUsable } = now
  if (is(after)) return { progress: after, keyUsable }
  if (is(before)) return undefined
  const unheld = { ...after, holdMicros: before.holdMicros }
  if (is(unheld)) return { progress: unheld, keyUsable }
  throw new LeaseLost(`run ${run.id} is not where its owner left it`)
}
