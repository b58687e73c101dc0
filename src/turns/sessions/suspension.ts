import { and, eq, sql } from 'drizzle-orm'
import { lockAccount } from '../../accounts/accounts.ts'
import { type Actor, recordAction } from '../../accounts/audit.ts'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { accounts, runs, webSessions } from '../../db/schema/index.ts'
import { sendSignals } from '../replicas/signals.ts'

type Acted = { readonly actor: Actor; readonly accountId: string }

/**
 * Suspends an account from the commit on: no key of it opens anything, no turn starts, its web sessions end, and its
 * unfinished turns are cancelled wherever they run or wait. Its data stays. A suspended account stays as it is.
 * @returns how many turns were stopped.
 * @throws ServiceError `not_found`.
 */
export function suspendAccount(
  database: Database,
  { actor, accountId }: Acted,
): Promise<{ readonly turnsStopped: number }> {
  return withTx(database, 'system', async (tx) => {
    // A start that holds the account's row is waited for, and its run is stopped with the others.
    const account = await lockAccount(tx, accountId)
    if (account.suspendedAt) return { turnsStopped: 0 }
    await tx.update(accounts).set({ suspendedAt: sql`now()` }).where(eq(accounts.id, accountId))
    await tx.delete(webSessions).where(eq(webSessions.accountId, accountId))
    const turnsStopped = await cancelTurns(tx, accountId)
    const details = { turns_stopped: turnsStopped }
    await recordAction(tx, { actor, action: 'account.suspended', accountId, details })
    return { turnsStopped }
  })
}

/**
 * Lets a suspended account be used again: its keys work, and its owner can sign in. Nothing that was stopped goes on.
 * @throws ServiceError `not_found`.
 */
export function resumeAccount(database: Database, { actor, accountId }: Acted): Promise<void> {
  return withTx(database, 'system', async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!account.suspendedAt) return
    await tx.update(accounts).set({ suspendedAt: null }).where(eq(accounts.id, accountId))
    await recordAction(tx, { actor, action: 'account.resumed', accountId })
  })
}

/** Marks the account's unfinished turns and tells the replicas: an owner stops its run, any replica ends a queued one. */
async function cancelTurns(executor: Executor, accountId: string): Promise<number> {
  const stopped = await executor
    .update(runs)
    .set({ cancelRequestedAt: sql`coalesce(${runs.cancelRequestedAt}, now())` })
    .where(and(eq(runs.accountId, accountId), sql`${runs.status} in ('queued', 'in_progress')`))
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
