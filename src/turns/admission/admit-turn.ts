import type { Principal } from '../../accounts/principal.ts'
import { retryFor } from '../../db/retry.ts'
import { ServiceError } from '../../errors.ts'
import type { ClientConnection } from '../replicas/client-connections.ts'
import {
  type AdmissionServices,
  type ClientTurn,
  type PricedTurn,
  refuseUnderPressure,
  type Started,
} from './client-turn.ts'
import { requireModel, turnCosts } from './requested-model.ts'
import { StartAttempts } from './start-attempts.ts'

/** How long admission retries a failing database before the client gets an error. */
const timeoutMs = 1_000

/**
 * `client`: the connection for which the run was admitted. The reply code reports on it whether the reply
 * arrived.
 */
export type Admitted = Started & { readonly client: ClientConnection }

/**
 * Admits a turn in one transaction (see `admitRun`) and starts to drive it, unless it is queued. Transient
 * database errors are retried for one second. A COMMIT without an answer never leads to a second run. A client
 * that has disconnected gets no run: its retry may already have started one on another replica.
 * @throws what `admitRun` throws, `overloaded` during shutdown or under pressure, and the database's error.
 *   After a database error the run may exist: any replica can then claim it, and a retry finds it.
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
  // A retry may find an existing run, so it is looked up before the pressure check.
  if (input.identity.key === undefined && !input.identity.retried) refuseUnderPressure(services)
  const start = new StartAttempts(services, principal, await priced(services, principal, withTrace(input)))
  try {
    const { run, repeated, conversation } = await retryFor(timeoutMs, () => start.attempt())
    if (!repeated) services.metrics?.started(run.status === 'in_progress' ? 'in_progress' : 'queued')
    if (!repeated && run.status === 'in_progress') runner.start(run, conversation)
    start.client.attach(run.id)
    return { run, repeated, client: start.client }
  } catch (error) {
    await start.giveUp()
    throw error
  }
}

/** Adds what the turn's first call may cost, and the prompt that it begins with. */
async function priced(
  services: AdmissionServices,
  principal: Principal,
  input: ClientTurn,
): Promise<PricedTurn> {
  const model = requireModel(services, input.model)
  const costs = await turnCosts(services, principal, model, input)
  const prompt = { own: model.prompt.own.hash, host: model.prompt.host?.hash ?? null }
  return { ...input, ...costs, request: { ...input.request, prompt } }
}

/** The run stores the trace context, so its spans join the request's trace on any replica. */
function withTrace(input: ClientTurn): ClientTurn {
  const traceparent = input.span?.traceparent
  return traceparent === undefined ? input : { ...input, request: { ...input.request, traceparent } }
}
