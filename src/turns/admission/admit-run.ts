import type { Plan, Plans } from '../../accounts/plans.ts'
import { confinedTo, type Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import { databaseFault } from '../../db/errors.ts'
import { newId } from '../../ids.ts'
import type { ClientReport } from '../replicas/client-inquiry.ts'
import type { Lease } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { newInput } from '../run/transcript.ts'
import type { TurnLimits } from '../run/turn-limits.ts'
import type { TurnCalls } from '../store/turn-store.ts'
import type { AdmissionRow } from './admission-row.ts'
import { NotLastTurn } from './continuation.ts'
import { refusals } from './refusals.ts'
import { hasQuestion, holdsOf, inputRows, newRun, sessionNameOf } from './run-values.ts'
import type { TurnInput } from './turn-input.ts'

/** Hours for which an `Idempotency-Key` is remembered. */
const keyHours = 24

/**
 * The retry window, in minutes, for requests without an `Idempotency-Key`. Within it, an equal request of the
 * same API key returns the earlier run if the client marks it as a retry, or if the run's client disconnected
 * before its reply was complete. Equal requests on two open connections start two turns, because a back end
 * serves many people with one API key.
 */
const retryWindowMinutes = 15

/** What is known when a call is sent. Instants are by the server's clock. */
export type Sending = {
  /** The client was connected at this time. Null: the caller checks the connection after the call. */
  readonly sentAt: Date | null
  /** The server refuses the call after this time. Null: never. */
  readonly notAfter: Date | null
  /** Whether this process takes no new turns. */
  readonly underPressure: boolean
}

export type Admission = {
  readonly plans: Plans
  readonly limits: TurnLimits
  /** The lease of the replica that will drive the run, unless the run is queued. */
  readonly lease: Lease
  /** All attempts at one start share this id, so a late attempt cannot write a second run. */
  readonly runId: string
  /** The replica that holds the client's connection. Null while other replicas cannot see it. */
  readonly clientAt?: string | null
  /** Known state of the clients of equal requests. Undefined: no other replica holds any. */
  readonly clients?: ClientReport
  /** Whether an earlier attempt at this start may have written the run. */
  readonly again?: boolean
  /** The default project, if it was created in this transaction. */
  readonly projectId?: string | undefined
  /** The caller writes the input in the same transaction. */
  readonly withoutInput?: boolean
  /** Called when the call is sent, if that is later. If it rejects, nothing is sent. */
  readonly onSend?: () => Sending | Promise<Sending>
}

/** The run that a request repeats, with the state of its client when it was found. */
export type KnownRun = Pick<Run, 'id' | 'clientAt'> & { readonly clientClosed: boolean }

export type Decision =
  /** `fresh`: the messages of this turn, as they are stored. */
  | {
      readonly kind: 'admitted'
      readonly run: Run
      readonly plan: Plan
      readonly fresh: readonly ModelMessage[]
    }
  | { readonly kind: 'repeated'; readonly known: KnownRun }
  /**
   * An earlier attempt at this start wrote the run; another request changed the state first, so decide again; the default
   * project must be created first.
   */
  | { readonly kind: 'written' | 'overtaken' | 'no_project' }
  /** The call reached the server too late. `serverTime` is unknown if the server came to its end too late. */
  | { readonly kind: 'late'; readonly serverTime?: Date }
  /** Other replicas must first report whether their clients of equal requests are connected. */
  | { readonly kind: 'clients_unknown'; readonly replicas: readonly string[] }

/**
 * Admits a turn with one call of `admit_run_2`. Only the decision `admitted` wrote anything.
 * @param calls those of an open transaction, or calls that are their own transactions.
 * @param planName as the account names it.
 * @throws ServiceError of `refusals`. `NotLastTurn` if the session has a newer turn than `input.after`.
 */
export async function admitRun(
  calls: TurnCalls,
  principal: Principal,
  input: TurnInput,
  admission: Admission,
  plan = principal.plan,
  planName = plan.name,
): Promise<Decision> {
  const { limits, onSend } = admission
  const fresh = newInput(input.messages, input.sessionId !== undefined)
  const holds = holdsOf(input.firstCallMicros, limits, plan)
  const run = newRun(principal, input, admission)
  const newSessionId = input.sessionId === undefined ? newId('session') : null
  const values = {
    ...requestValues(principal, input, admission),
    ...planValues(plan, planName),
    ...holds,
    newSessionId,
    hasQuestion: hasQuestion(fresh),
    sessionName: sessionNameOf(fresh),
    input: admission.withoutInput ? null : inputRows(fresh, input.transcript),
    messageId: run.messageId,
  }
  const row = await send(calls, values, onSend)
  if (row.decision === 'plan_changed')
    return admitRun(calls, principal, input, admission, admission.plans.of(row.plan), row.plan)
  if (row.decision !== 'admitted') {
    // A row that only says "late" has no hold.
    const holdMicros = BigInt(row.held ?? holds.holdMicros)
    return otherDecision(row, input, { plan, holdMicros })
  }
  return {
    kind: 'admitted',
    plan,
    fresh,
    run: { ...run, ...written(row, admission, input.sessionId ?? newSessionId ?? '') },
  }
}

/** SQLSTATE: the server finished the start after its time limit, and undid it. */
const startTooLate = 'TU001'

async function send(
  calls: TurnCalls,
  values: { readonly accountId: string },
  onSend: Admission['onSend'],
): Promise<AdmissionRow> {
  try {
    return await calls.call(values.accountId, { call: 'admit', ...atOnce, ...values }, onSend)
  } catch (error) {
    if (databaseFault(error)?.code !== startTooLate) throw error
    return { decision: 'late' } as AdmissionRow
  }
}

const atOnce: Sending = { sentAt: null, notAfter: null, underPressure: false }

function requestValues(principal: Principal, input: TurnInput, admission: Admission) {
  const { lease, limits, clients, again = false, projectId, clientAt = null } = admission
  const { hash, key, retried } = input.identity
  return {
    ...{ accountId: principal.accountId, keyId: principal.keyId, runId: admission.runId },
    ...{ hash, key, retried, retryWindowMinutes, keyHours, again, clientAt },
    settled: [lease.owner, ...(clients?.replicas ?? []), ...(clients?.gone ?? [])],
    lost: [...(clients?.lost.keys() ?? [])],
    lostAt: [...(clients?.lost.values() ?? [])],
    gone: [...(clients?.gone ?? [])],
    sessionId: input.sessionId,
    projectId: projectId ?? projectOf(principal, input),
    afterTurn: input.after?.turn,
    model: input.model,
    request: JSON.stringify(input.request),
    onDisconnect: input.onDisconnect,
    ...{ leaseOwner: lease.owner, leaseSeconds: lease.seconds },
    ...{ maxMicros: limits.maxMicros, turnSeconds: limits.turnSeconds, tokenMicros: input.tokenMicros },
  }
}

/** The project of a new session. A project that the principal cannot see is none. */
function projectOf(principal: Principal, { projectId }: TurnInput): string | null {
  if (projectId === undefined) return principal.binding.projectId
  const confined = confinedTo(principal)
  return confined === null || confined === projectId ? projectId : ''
}

function planValues(plan: Plan, planName: string) {
  const { apiAccess, monthlyMicros, turnsPerMinute, concurrentTurns, queuedTurns } = plan
  return { planName, apiAccess, monthlyMicros, turnsPerMinute, concurrentTurns, queuedTurns }
}

function otherDecision(
  row: AdmissionRow,
  input: TurnInput,
  facts: { readonly plan: Plan; readonly holdMicros: bigint },
): Decision {
  const { known_run: id, known_client_at: clientAt, known_client_closed: clientClosed } = row
  switch (row.decision) {
    case 'repeated':
      return { kind: 'repeated', known: { id, clientAt, clientClosed } }
    case 'written':
    case 'overtaken':
      return { kind: row.decision }
    case 'late':
      return { kind: 'late', ...(row.created_at && { serverTime: new Date(row.created_at) }) }
    case 'clients_unknown':
      return { kind: row.decision, replicas: row.replicas ?? [] }
    case 'not_last_turn':
      throw new NotLastTurn()
    case 'no_project':
      if (input.projectId === undefined) return { kind: row.decision }
  }
  const refusal = refusals[row.decision === 'no_project' ? 'not_found' : row.decision]
  if (!refusal) throw new Error(`unknown decision "${row.decision}" of admit_run_2`)
  throw refusal({
    ...row,
    ...facts,
    seconds: row.seconds ?? 1,
    field: input.attachments?.param ?? 'messages',
  })
}

/** The columns that the server has set. */
function written(row: AdmissionRow, { lease }: Admission, sessionId: string) {
  const isRunning = row.started_at !== null
  return {
    sessionId,
    projectId: row.project,
    projectInstructions: row.project_instructions,
    turn: row.turn,
    status: isRunning ? ('in_progress' as const) : ('queued' as const),
    epoch: isRunning ? 1 : 0,
    leaseOwner: isRunning ? lease.owner : null,
    holdMicros: BigInt(row.held ?? 0),
    accountTurn: row.account_turn,
    createdAt: new Date(row.created_at),
    deadlineAt: new Date(row.deadline_at),
    leaseExpiresAt: row.lease_expires_at === null ? null : new Date(row.lease_expires_at),
    startedAt: row.started_at === null ? null : new Date(row.started_at),
  }
}
