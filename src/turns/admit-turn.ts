import type { Plans } from '../accounts/plans.ts'
import type { Principal } from '../accounts/principal.ts'
import { type Database, withTurnCalls, withTurnTx } from '../db/client.ts'
import { retryTransient } from '../db/retry.ts'
import { ServiceError } from '../errors.ts'
import type { Span } from '../tracing.ts'
import type { Pressure } from './pressure.ts'
import type { Runner } from './runner.ts'
import { type Started, startTurn, type TurnInput, type TurnLimits } from './start-turn.ts'
import { toldToModel } from './transcript.ts'
import type { TurnMetrics } from './turn-metrics.ts'
import { isUsual, writeUsual } from './usual-start.ts'

/** `left` is aborted when the client has left; `span` is that of its request. */
export type ClientTurn = TurnInput & { readonly left: AbortSignal; readonly span?: Span | undefined }

export type AdmissionServices = {
  readonly database: Database
  readonly plans: Plans
  readonly limits: TurnLimits
  readonly runner: Runner
  readonly metrics?: TurnMetrics | undefined
  readonly pressure?: Pressure | undefined
}

/** A client waits this long for a database in trouble before it is told to try again. */
const patienceMs = 1_000

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
): Promise<Started> {
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

async function admit(services: AdmissionServices, principal: Principal, input: ClientTurn): Promise<Started> {
  const { database, plans, limits, runner } = services
  if (runner.draining()) {
    throw new ServiceError('overloaded', 'The service is shutting down. Send the request again.', {
      retryAfterSeconds: 2,
    })
  }
  // One that may only read a run of before is looked up first.
  if (input.identity.key === undefined && !input.identity.retried) refuseUnderPressure(services)
  const traced = withTrace(input)
  let unsure: string | undefined
  const { lease } = runner
  const stay = () => {
    if (input.left.aborted) throw nobodyThere()
  }
  const usual = () =>
    withTurnCalls(database, principal, async (calls) => {
      stay()
      const writing = writeUsual(calls, principal, traced, { lease, limits })
      unsure = writing.runId
      const run = await writing.done
      if (run) return { run, repeated: false, conversation: toldToModel(traced.request, traced.messages) }
      unsure = undefined
      return undefined
    })
  const careful = () =>
    withTurnTx(database, principal, async (tx) => {
      const started = await startTurn(tx, principal, traced, { plans, limits, lease, unsure })
      if (started.repeated) return started
      stay()
      refuseUnderPressure(services)
      unsure = started.run.id
      return started
    })
  const attempt = async (): Promise<Started> =>
    (unsure === undefined && isUsual(principal, input) ? await usual() : undefined) ?? careful()
  try {
    const { run, repeated, conversation } = await retryTransient(attempt, AbortSignal.timeout(patienceMs))
    if (!repeated) services.metrics?.started(run.status === 'in_progress' ? 'in_progress' : 'queued')
    if (!repeated && run.status === 'in_progress') runner.start(run, conversation)
    return { run, repeated }
  } catch (error) {
    if (unsure !== undefined) runner.unanswered(unsure)
    throw error
  }
}

/** Turns that run need what is left. */
function refuseUnderPressure({ pressure, metrics }: AdmissionServices): void {
  const reason = pressure?.reason()
  if (reason === undefined) return
  metrics?.refused(reason)
  throw new ServiceError('overloaded', 'The service takes no new turns at this moment. Try again shortly.', {
    retryAfterSeconds: 5,
  })
}

/** Whichever replica drives the run, its spans belong to the trace of the request. */
function withTrace(input: ClientTurn): TurnInput {
  const traceparent = input.span?.traceparent
  return traceparent === undefined ? input : { ...input, request: { ...input.request, traceparent } }
}

function nobodyThere(): ServiceError {
  return new ServiceError(
    'invalid_value',
    'The connection was closed before the turn began: none was started.',
  )
}
