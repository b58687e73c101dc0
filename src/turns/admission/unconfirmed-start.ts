import { and, eq, sql } from 'drizzle-orm'
import { lockAccount } from '../../accounts/accounts.ts'
import { type Executor, withTx } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { retryTransient } from '../../db/retry.ts'
import { runs } from '../../db/schema/index.ts'
import type { ClientConnection } from '../replicas/client-connections.ts'
import type { Run } from '../run/run.ts'
import { recordClientClosed } from '../run/runs.ts'
import type { AdmissionServices } from './client-turn.ts'

/**
 * Looks for the run of a start without an answer, whose client got an error, as soon as the database answers. It marks the
 * run's client as disconnected, so that a retry finds the run, and releases the lease, so that it need not expire. Never
 * throws, because no client is left to receive the error.
 * @param client the connection of that client, which is lost.
 */
export async function settleUnconfirmed(
  { database, runner, log }: Pick<AdmissionServices, 'database' | 'runner' | 'log'>,
  run: Pick<Run, 'id' | 'accountId'>,
  client: ClientConnection,
): Promise<void> {
  const { owner } = runner.lease
  const settle = async (tx: Executor) => {
    // A start that is still open holds this lock. What it writes is then visible.
    await lockAccount(tx, run.accountId)
    // Otherwise a retry has become the client of the run.
    if (client.isCurrent) await recordClientClosed(tx, run.id, owner)
    await tx
      .update(runs)
      .set({ leaseOwner: null, leaseExpiresAt: sql`now()` })
      .where(and(eq(runs.id, run.id), asWritten(owner)))
  }
  try {
    await retryTransient(() => withTx(database, run, settle), runner.leaving)
    client.settle()
  } catch (error) {
    log.warn({ runId: run.id, reason: reasonOf(error) }, 'a start without an answer was not looked up')
  }
}

/** As `isAsWritten`. A run that was claimed from the queue since belongs to its driver. */
const asWritten = (owner: string) =>
  and(eq(runs.leaseOwner, owner), eq(runs.epoch, 1), sql`${runs.startedAt} <= ${runs.createdAt}`)
