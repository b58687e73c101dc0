import { type Database, withTx } from '../db/client.ts'
import { databaseFault } from '../db/errors.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Runner } from './runner.ts'
import { forgetClientClosed, noteClientClosed, requestCancel } from './runs.ts'
import type { Run } from './start-turn.ts'

/**
 * The client of a run has left before its reply was complete: notes it, and stops the run if that was asked for.
 * Never throws: nobody is left to hear of it.
 */
export async function clientLeft(
  services: { readonly database: Database; readonly runner: Runner; readonly log: Logger },
  run: Run,
): Promise<void> {
  const cancel = run.onDisconnect === 'cancel'
  try {
    await withTx(services.database, run, async (tx) => {
      await noteClientClosed(tx, run.id)
      if (cancel) await requestCancel(tx, run.id)
    })
    if (cancel) services.runner.cancel(run.id)
  } catch (error) {
    const reason = databaseFault(error)?.message ?? messageOf(error)
    services.log.warn({ runId: run.id, reason }, 'could not note that a client left')
  }
}

/**
 * A repeated request has got the whole reply: from now on an equal request is a new question. Never throws.
 */
export async function clientServed(
  services: { readonly database: Database; readonly log: Logger },
  run: Run,
): Promise<void> {
  try {
    await withTx(services.database, run, (tx) => forgetClientClosed(tx, run.id))
  } catch (error) {
    const reason = databaseFault(error)?.message ?? messageOf(error)
    services.log.warn({ runId: run.id, reason }, 'could not note that a client was served')
  }
}
