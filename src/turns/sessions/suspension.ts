import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { lockAccount } from '../../accounts/accounts.ts'
import { type Actor, recordAction } from '../../accounts/audit.ts'
import { ownerOfKey, revokeKey } from '../../accounts/keys/keys.ts'
import { requireNoHold } from '../../accounts/legal-hold.ts'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { accounts, runs, webSessions } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import { sendSignals } from '../replicas/signals.ts'
import { lockedRuns } from '../run/runs.ts'

type Acted = { readonly actor: Actor; readonly accountId: string }

/**
 * Suspends an account from the commit on. Its keys stop working, no turn starts, its web sessions end, and its
 * unfinished turns are cancelled. Its data stays. Does nothing to a suspended account.
 * @returns the number of turns that were stopped.
 * @throws ServiceError `not_found`; `invalid_value` for an account that its owner has closed.
 */
export function suspendAccount(
  database: Database,
  { actor, accountId }: Acted,
): Promise<{ readonly turnsStopped: number }> {
  return withTx(database, 'system', async (tx) => {
    // This waits for a start that holds the account's row. Its run is then cancelled with the others.
    const account = await lockAccount(tx, accountId)
    // Otherwise its owner would end the suspension by taking the deletion back.
    if (account.deletionDueAt)
      throw new ServiceError(
        'invalid_value',
        'The owner has closed this account. Take the deletion back first, then suspend it.',
      )
    if (account.suspendedAt) return { turnsStopped: 0 }
    const turnsStopped = await stopAll(tx, accountId, {})
    const details = { turns_stopped: turnsStopped }
    await recordAction(tx, { actor, action: 'account.suspended', accountId, details })
    return { turnsStopped }
  })
}

/** Suspends a locked account, ends its web sessions and cancels its turns. @returns the number of these turns. */
async function stopAll(
  tx: Executor,
  accountId: string,
  also: { readonly deletionDueAt?: SQL },
): Promise<number> {
  await tx
    .update(accounts)
    .set({ suspendedAt: sql`now()`, ...also })
    .where(eq(accounts.id, accountId))
  await tx.delete(webSessions).where(eq(webSessions.accountId, accountId))
  return cancelTurns(tx, eq(runs.accountId, accountId))
}

/**
 * Closes an account for its owner: it stops like a suspended one, and `removeClosed` deletes it after `days`. Until then
 * `resumeAccount` takes this back.
 * @throws ServiceError `not_found`; `account_held` under a legal hold.
 */
export function closeAccount(database: Database, accountId: string, days: number): Promise<void> {
  return withTx(database, 'system', async (tx) => {
    requireNoHold(await lockAccount(tx, accountId))
    const deletionDueAt = sql`now() + make_interval(days => ${days})`
    const turnsStopped = await stopAll(tx, accountId, { deletionDueAt })
    const details = { days, turns_stopped: turnsStopped }
    await recordAction(tx, { actor: accountId, action: 'account.closed', accountId, details })
  })
}

/**
 * Resumes a suspended account, or one that its owner has closed: its keys work, and its owner can sign in. Cancelled turns
 * stay cancelled.
 * @throws ServiceError `not_found`.
 */
export function resumeAccount(database: Database, { actor, accountId }: Acted): Promise<void> {
  return withTx(database, 'system', async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!account.suspendedAt) return
    await tx
      .update(accounts)
      .set({ suspendedAt: null, deletionDueAt: null })
      .where(eq(accounts.id, accountId))
    const action = account.deletionDueAt ? 'account.deletion_taken_back' : 'account.resumed'
    await recordAction(tx, { actor, action, accountId })
  })
}

/**
 * Revokes a key, in the caller's transaction: from the commit on it starts nothing, and its unfinished turns are
 * cancelled. A key that has leaked would otherwise read its streams to their ends.
 * @param accountId undefined: a key of any account.
 * @returns the account that owns the key, and the number of turns that were stopped.
 * @throws ServiceError `not_found`.
 */
export async function revokeKeyAndTurns(
  executor: Executor,
  keyId: string,
  accountId?: string,
): Promise<{ readonly accountId: string; readonly turnsStopped: number }> {
  const owner = accountId ?? (await ownerOfKey(executor, keyId))
  // This waits for a start with the key. Its run is then cancelled with the others.
  await lockAccount(executor, owner)
  await revokeKey(executor, keyId, owner)
  const ofKey = and(eq(runs.accountId, owner), eq(runs.apiKeyId, keyId))
  return { accountId: owner, turnsStopped: await cancelTurns(executor, ofKey) }
}

/** Marks unfinished turns and signals the replicas. An owner stops its run; any replica ends a queued one. */
async function cancelTurns(executor: Executor, which: SQL | undefined): Promise<number> {
  const stopped = await executor
    .update(runs)
    .set({ cancelRequestedAt: sql`coalesce(${runs.cancelRequestedAt}, now())` })
    .where(
      inArray(runs.id, lockedRuns(executor, and(which, sql`${runs.status} in ('queued', 'in_progress')`))),
    )
    .returning({ runId: runs.id })
  await sendSignals(
    executor,
    stopped.flatMap(({ runId }) => [
      { kind: 'cancel' as const, runId },
      { kind: 'claim' as const, runId },
    ]),
  )
  return stopped.length
}
