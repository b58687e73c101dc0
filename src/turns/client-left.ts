import { type Executor, withTx } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import { retryTransient } from '../db/retry.ts'
import type { ReaderServices } from './follow.ts'
import { forgetClientClosed, noteClientClosed, requestCancel } from './runs.ts'
import type { Run } from './start-turn.ts'

/** How long a note is tried to be written while the database is away. */
const patienceMs = 60_000

/**
 * The client of a run has left before its reply was complete: notes it, and stops the run if that was asked for.
 * Never throws: nobody is left to hear of it.
 */
export async function clientLeft(services: ReaderServices, run: Run): Promise<void> {
  const cancel = run.onDisconnect === 'cancel'
  await note(services, run, 'could not note that a client left', async (tx) => {
    await noteClientClosed(tx, run.id)
    if (cancel) await requestCancel(tx, run.id)
  })
  if (cancel) services.runner.cancel(run.id)
}

/**
 * A reply ends here although the run goes on: the same request will find the run again. Asked once only, since the
 * reply waits for it. Never throws.
 */
export async function replyCutShort(services: ReaderServices, run: Run): Promise<void> {
  await note(
    services,
    run,
    'could not note that a reply was cut short',
    (tx) => noteClientClosed(tx, run.id),
    {
      once: true,
    },
  )
}

/**
 * A repeated request has got the whole reply: from now on an equal request is a new question. Never throws.
 */
export async function clientServed(services: ReaderServices, run: Run): Promise<void> {
  await note(services, run, 'could not note that a client was served', (tx) => forgetClientClosed(tx, run.id))
}

async function note(
  { database, runner, log }: ReaderServices,
  run: Run,
  failure: string,
  write: (tx: Executor) => Promise<void>,
  options: { readonly once?: boolean } = {},
): Promise<void> {
  const work = () => withTx(database, run, write)
  try {
    const bound = AbortSignal.any([runner.leaving, AbortSignal.timeout(patienceMs)])
    await (options.once ? work() : retryTransient(work, bound))
  } catch (error) {
    log.warn({ runId: run.id, reason: reasonOf(error) }, failure)
  }
}
