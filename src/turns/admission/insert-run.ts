import type { Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import { insufficient } from '../../billing/insufficient.ts'
import type { Executor } from '../../db/client.ts'
import { newId } from '../../ids.ts'
import type { Lease } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { textOf } from '../run/transcript.ts'
import type { TurnLimits } from '../run/turn-limits.ts'
import type { Session } from '../sessions/sessions.ts'
import type { writeTurn } from './start-statements.ts'
import type { TurnInput } from './turn-input.ts'

export type Start = {
  /** All attempts at one start share this id, so a late attempt cannot write a second run. */
  readonly runId: string
  readonly session: Pick<Session, 'id' | 'projectId' | 'turnCount' | 'name'>
  /** The new messages of this turn. */
  readonly fresh: readonly ModelMessage[]
  /** Undefined: the run is queued. */
  readonly lease: Lease | undefined
  /** The replica that holds the client's connection. Null while other replicas cannot see it. */
  readonly clientAt: string | null
  readonly limits: TurnLimits
}

/**
 * Writes the run, its input and its hold. Returns undefined if the turn was not admitted.
 * @throws ServiceError `insufficient_credits`; nothing is written then.
 */
export async function insertRun(
  executor: Executor,
  principal: Principal,
  input: TurnInput,
  { runId, session, fresh, lease, clientAt, limits }: Start,
  write: typeof writeTurn,
): Promise<Run | undefined> {
  const bounded = (micros: bigint) => (micros < limits.maxMicros ? micros : limits.maxMicros)
  const micros = bounded(input.firstCallMicros)
  const run = {
    id: runId,
    accountId: principal.accountId,
    projectId: session.projectId,
    sessionId: session.id,
    apiKeyId: principal.keyId,
    messageId: newId('message'),
    turn: session.turnCount + 1,
    model: input.model,
    status: lease ? ('in_progress' as const) : ('queued' as const),
    request: input.request,
    requestHash: input.identity.hash,
    maxMicros: limits.maxMicros,
    epoch: lease ? 1 : 0,
    leaseOwner: lease?.owner ?? null,
    onDisconnect: input.onDisconnect,
    clientAt,
  }
  const [row] = await write(executor, {
    ...run,
    runId,
    keyId: run.apiKeyId,
    holdMicros: micros,
    ampleMicros: bounded(ample * input.firstCallMicros),
    ampleParts: Math.max(ampleParts, 2 * principal.plan.concurrentTurns),
    hash: run.requestHash,
    request: JSON.stringify(run.request),
    sessionName: session.name === '' ? nameOf(fresh) : session.name,
    input: JSON.stringify(fresh.map((content, position) => ({ id: newId('message'), position, content }))),
    leaseSeconds: lease?.seconds ?? 0,
    turnSeconds: limits.turnSeconds,
  })
  if (!row?.admitted) return undefined
  if (!row.enough) throw await insufficient(executor, micros, BigInt(row.available))
  return {
    ...{ ...untold, ...run },
    holdMicros: BigInt(row.held),
    accountTurn: row.account_turn,
    createdAt: row.created_at,
    deadlineAt: row.deadline_at,
    leaseExpiresAt: row.lease_expires_at,
    startedAt: row.started_at,
  }
}

/**
 * The hold covers this many first calls if the account has ample credits. A second call may cost as much as the
 * first one, so a turn that calls tools rarely has to extend its hold.
 */
const ample = 2n
/**
 * Credits are ample if the larger hold is at most one part in this many of the account's credits. The parts are
 * raised for large plans, so holds at the full concurrency limit never use more than half of the credits.
 */
const ampleParts = 20

/** Initial values of a run that has just been written. */
const untold = {
  output: [],
  errorCode: null,
  errorMessage: '',
  finishReason: null,
  usage: {},
  costMicros: 0n,
  stepCount: 0,
  eventCount: 0,
  cancelRequestedAt: null,
  clientClosedAt: null,
  finishedAt: null,
} as const

/** The first question becomes the session's name. */
function nameOf(input: readonly ModelMessage[]): string {
  const question = input.findLast((message) => message.role === 'user')
  const text = question?.role === 'user' ? textOf(question.content).replaceAll(/\s+/g, ' ').trim() : ''
  return [...text].slice(0, 80).join('')
}
