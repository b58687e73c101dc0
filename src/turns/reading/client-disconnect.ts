import { type Executor, withTx } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { retryTransient } from '../../db/retry.ts'
import type { ClientConnection } from '../replicas/client-connections.ts'
import type { Run } from '../run/run.ts'
import { recordClientClosed, requestCancel } from '../run/runs.ts'
import type { ReaderServices } from './follow.ts'

/** How long a disconnect is retried to be recorded while the database is away. */
const timeoutMs = 60_000

/**
 * Records that a run's client disconnected before its reply was complete, and cancels the run if the request
 * asked for that and no other client of this process waits for it. A client that has retried and is connected again
 * still waits. Never throws, because no client is left to receive the error.
 */
export async function recordDisconnect(
  services: ReaderServices,
  run: Run,
  client: ClientConnection,
  options: { readonly cancel: boolean },
): Promise<void> {
  client.leave()
  const { isCurrent } = client
  if (!isCurrent && (!options.cancel || client.isRunAwaited)) return client.close()
  const { owner } = services.runner.lease
  const cancelled = await note(services, run, 'could not note that a client left', async (tx) => {
    if (isCurrent && !(await recordClientClosed(tx, run.id, owner))) return false
    // Asked here, because a retry may have connected while the database was away.
    return options.cancel && !client.isRunAwaited && requestCancel(tx, run.id, owner)
  })
  client.close()
  if (cancelled) services.runner.cancel(run.id)
}

/**
 * Records that a reply ends although its run continues, so that a retry finds the run. It makes one attempt
 * only, because the reply waits for it. Never throws.
 */
export async function recordCutReply(
  services: ReaderServices,
  run: Run,
  client: ClientConnection,
): Promise<void> {
  client.leave()
  const work = (tx: Executor) => recordClientClosed(tx, run.id, services.runner.lease.owner)
  await note(services, run, 'could not note that a reply was cut short', work, { once: true })
  client.close()
}

async function note(
  { database, runner, log }: ReaderServices,
  run: Run,
  failure: string,
  write: (tx: Executor) => Promise<boolean>,
  options: { readonly once?: boolean } = {},
): Promise<boolean> {
  const work = () => withTx(database, run, write)
  try {
    const bound = AbortSignal.any([runner.leaving, AbortSignal.timeout(timeoutMs)])
    return await (options.once ? work() : retryTransient(work, bound))
  } catch (error) {
    log.warn({ runId: run.id, reason: reasonOf(error) }, failure)
    return false
  }
}
