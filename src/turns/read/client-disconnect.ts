import { withTx } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { retryTransient } from '../../db/retry.ts'
import { recordDisconnect } from '../record/turn-store.ts'
import type { ClientConnection } from '../replicas/client-connections.ts'
import type { Run } from '../run/run.ts'
import { requestCancel } from '../run/runs.ts'
import type { ReaderServices } from './follow.ts'

/** How long a disconnect is retried to be recorded while the database is away. */
const timeoutMs = 60_000

/**
 * Records that a run's client disconnected before its reply was complete, and cancels the run if the request
 * asked for that and no other client of this process waits for it. A client that has retried and is connected again
 * still waits. Never throws, because no client is left to receive the error.
 */
export async function clientDisconnected(
  services: ReaderServices,
  run: Run,
  client: ClientConnection,
  options: { readonly cancel: boolean },
): Promise<void> {
  client.leave()
  const { isCurrent } = client
  if (!isCurrent && (!options.cancel || client.isRunAwaited)) return client.close()
  const { database, runner } = services
  const { owner } = runner.lease
  const cancelled = await note(services, run, 'could not note that a client left', async () => {
    if (isCurrent && !(await recordDisconnect(runner.store.sendTo(run.accountId), run.id, owner)))
      return false
    // Asked here, because a retry may have connected while the database was away.
    if (!options.cancel || client.isRunAwaited) return false
    return withTx(database, run, (tx) => requestCancel(tx, run.id, owner))
  })
  client.close()
  if (cancelled) runner.cancel(run.id)
}

/**
 * Records that a reply ends although its run continues, so that a retry finds the run. It makes one attempt
 * only, because the reply waits for it. Never throws.
 */
export async function replyCutShort(
  services: ReaderServices,
  run: Run,
  client: ClientConnection,
): Promise<void> {
  client.leave()
  const { store, lease } = services.runner
  const work = () => recordDisconnect(store.sendTo(run.accountId), run.id, lease.owner)
  await note(services, run, 'could not note that a reply was cut short', work, { once: true })
  client.close()
}

async function note(
  { runner, log }: ReaderServices,
  run: Run,
  failure: string,
  work: () => Promise<boolean>,
  options: { readonly once?: boolean } = {},
): Promise<boolean> {
  try {
    const bound = AbortSignal.any([runner.leaving, AbortSignal.timeout(timeoutMs)])
    return await (options.once ? work() : retryTransient(work, bound))
  } catch (error) {
    log.warn({ runId: run.id, reason: reasonOf(error) }, failure)
    return false
  }
}
