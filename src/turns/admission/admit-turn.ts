import type { Principal } from '../../accounts/principal.ts'
import { retryTransient } from '../../db/retry.ts'
import { ServiceError } from '../../errors.ts'
import type { ClientConnection } from '../replicas/client-connections.ts'
import {
  type AdmissionServices,
  type ClientTurn,
  refuseUnderPressure,
  StartAttempts,
  timeoutMs,
} from './start-attempts.ts'
import type { Started } from './start-turn.ts'

/** `client`: the connection for which the run was admitted; its reply says what becomes of it. */
export type Admitted = Started & { readonly client: ClientConnection }

/**
 * Admits a turn in one transaction, see `startTurn`, and begins to drive it unless it has to wait. When the database
 * is in trouble it is tried again for a second, without starting a second run when the first COMMIT got no answer.
 * A client that has left meanwhile gets none: it knows of no run, and what it sends again may have begun one elsewhere,
 * while this process was frozen or busy.
 * @throws what `startTurn` throws, `overloaded` while the process shuts down or is under pressure, and the database's
 * error. In that last case a run may have been written: it is left to any replica, and the same request will find it.
 */
export async function admitTurn(
  services: AdmissionServices,
  principal: Principal,
  input: ClientTurn,
): Promise<Admitted> {
  const span = input.span?.child('admission')
  try {
    const started = await admit(services, principal, input)
    span?.set({ 'run.id': started.run.id, 'run.repeated': started.repeated })
    span?.end()
    return started
  } catch (error) {
    span?.end(error instanceof ServiceError ? error.code : 'failed')
    throw error
  }
}

async function admit(
  services: AdmissionServices,
  principal: Principal,
  input: ClientTurn,
): Promise<Admitted> {
  const { runner } = services
  if (runner.draining()) {
    throw new ServiceError('overloaded', 'The service is shutting down. Send the request again.', {
      retryAfterSeconds: 2,
    })
  }
  // One that may only read a run of before is looked up first.
  if (input.identity.key === undefined && !input.identity.retried) refuseUnderPressure(services)
  const start = new StartAttempts(services, principal, withTrace(input))
  // `AbortSignal.timeout` would go off, and make an exception, long after nearly every start.
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), timeoutMs)
  try {
    const { run, repeated, conversation } = await retryTransient(() => start.attempt(), patience.signal)
    if (!repeated) services.metrics?.started(run.status === 'in_progress' ? 'in_progress' : 'queued')
    if (!repeated && run.status === 'in_progress') runner.start(run, conversation)
    start.client.attach(run.id)
    return { run, repeated, client: start.client }
  } catch (error) {
    if (start.isUnsure) {
      // The run may be there: the same request, sent again to this process, looks for it.
      start.client.lose()
      await start.over()
      start.client.attach(start.client.runId)
    } else start.client.settle()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Whichever replica drives the run, its spans belong to the trace of the request. */
function withTrace(input: ClientTurn): ClientTurn {
  const traceparent = input.span?.traceparent
  return traceparent === undefined ? input : { ...input, request: { ...input.request, traceparent } }
}
