import { eq } from 'drizzle-orm'
import { accountSuspended } from '../../accounts/accounts.ts'
import { noApiAccess, type Plan, type Plans } from '../../accounts/plans.ts'
import type { Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import { ensureAllowance } from '../../billing/pools.ts'
import type { Executor } from '../../db/client.ts'
import { runs, sessions } from '../../db/schema/index.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { ClientReport } from '../replicas/client-inquiry.ts'
import type { Lease } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { messagesForModel, newInput } from '../run/transcript.ts'
import type { TurnLimits } from '../run/turn-limits.ts'
import { attachFiles } from '../sessions/attachments.ts'
import { defaultProjectId, holdProject } from '../sessions/projects.ts'
import type { Session } from '../sessions/sessions.ts'
import { requireLast } from './continuation.ts'
import { findByKey, noApiKey, type RequestIdentity, rememberKey, retryWindowMinutes } from './idempotency.ts'
import { insertRun } from './insert-run.ts'
import { type AdmissionSnapshot, lockAccount, readAdmissionSnapshot, writeTurn } from './start-statements.ts'
import type { TurnInput } from './turn-input.ts'

export type Admission = {
  readonly plans: Plans
  readonly limits: TurnLimits
  /** The lease of the replica that will drive the run, unless the run is queued. */
  readonly lease: Lease
  readonly runId: string
  /** The replica that holds the client's connection. Null while other replicas cannot see it. */
  readonly clientAt?: string | null
  /** Known state of the clients of equal requests. Undefined: no other replica holds any. */
  readonly settled?: ClientReport
  /**
   * Set if an earlier attempt at this start has an unknown outcome: the status with which it would have written
   * the run.
   */
  readonly again?: 'queued' | 'in_progress' | undefined
}

/** Other replicas must first report whether the clients of equal requests are connected. Nothing was written. */
export class InquiryNeeded extends Error {
  override readonly name = 'Unsettled'
  readonly replicas: readonly string[]

  constructor(replicas: readonly string[]) {
    super(`equal requests at ${replicas.join(', ')}`)
    this.replicas = replicas
  }
}

/** `repeated`: the request duplicates the one that started this run. Nothing was written. */
export type Started = {
  readonly run: Run
  readonly repeated: boolean
  /** The conversation for the model, without our own instructions. Set only if all of it has just been written. */
  readonly conversation?: readonly ModelMessage[]
}

/**
 * Admits a turn in the caller's transaction. It checks that the key and its plan are valid, that the request is
 * no duplicate, that the session's queue has room, and that the account has a free slot and enough credits.
 * Then it writes input, run and hold.
 * @throws ServiceError in the order of the checks: 401, 403, 404, 400, 409, 429, 402. `NotLastTurn` if the
 *   session has a newer turn than `input.after`. `InquiryNeeded` if other replicas must first be asked about equal
 *   requests.
 */
export async function startTurn(
  executor: Executor,
  principal: Principal,
  input: TurnInput,
  admission: Admission,
): Promise<Started> {
  const { plans, limits, lease, runId, clientAt = null, again } = admission
  const { accountId, keyId } = principal
  const plan = plans.of(await lockedPlan(executor, accountId))
  const named = input.sessionId === undefined ? undefined : await lockSession(executor, input.sessionId)
  const facts = await factsOf(executor, principal, input, admission)
  requireKey(principal, plan, facts)
  // An attempt that is still in progress holds the account's lock, so under the lock the answer is final.
  const written = again ? await runOf(executor, runId) : undefined
  if (written) return { run: written, repeated: !isOwnStart(written, lease, again) }
  if (facts.unsettled) throw new InquiryNeeded(facts.unsettled)
  const earlier = await repeatedRun(executor, principal, input.identity, facts)
  if (earlier) return { run: earlier, repeated: true }
  // The request was checked against the session earlier. The session may have been deleted since.
  if (input.sessionId !== undefined && !named) throw notFound()
  const session = named ?? (await newSession(executor, principal, input))
  if (input.after) await requireLast(executor, input.after)
  const added = newInput(input.messages, named !== undefined)
  requireQuestion(added)
  const waits = facts.session_turns > 0
  requireRoom(plan, facts)
  const fresh = await withFiles(executor, principal, input, session, added, plan)
  if (!facts.has_allowance) await ensureAllowance(executor, accountId, plan)
  const start = { runId, session, fresh, lease: waits ? undefined : lease, clientAt, limits }
  const run = await insertRun(executor, principal, input, start, (tx, values) =>
    writeTurn(tx, { ...values, newSession: named === undefined }),
  )
  if (!run) throw new Error('the start of a turn returned no row')
  await rememberKey(executor, { accountId, apiKeyId: keyId ?? noApiKey }, input.identity, run.id)
  return { run, repeated: false, ...(!named && { conversation: messagesForModel(input.request, fresh) }) }
}

/**
 * Locks the account.
 * @returns its plan's name.
 * @throws ServiceError `not_found`, or for a suspended account.
 */
async function lockedPlan(executor: Executor, accountId: string): Promise<string> {
  const [account] = await lockAccount(executor, { accountId })
  if (!account) throw notFound()
  if (account.suspended) throw accountSuspended()
  return account.plan
}

/** Stores the attached files and returns the messages with the stored ids. */
async function withFiles(
  executor: Executor,
  principal: Principal,
  { attachments }: TurnInput,
  session: Pick<Session, 'id' | 'projectId'>,
  added: readonly ModelMessage[],
  plan: Plan,
): Promise<readonly ModelMessage[]> {
  if (!attachments) return added
  const place = {
    accountId: principal.accountId,
    projectId: session.projectId,
    sessionId: session.id,
    runId: null,
  }
  return attachFiles(executor, principal, place, added, attachments, plan)
}

function requireQuestion(fresh: readonly ModelMessage[]): void {
  if (hasQuestion(fresh)) return
  throw new ServiceError(
    'invalid_value',
    'There is no new message. `messages` must end with a message of role `user`.',
    { param: 'messages' },
  )
}

export function hasQuestion(fresh: readonly ModelMessage[]): boolean {
  return fresh.some((message) => message.role === 'user' || message.role === 'tool')
}

async function lockSession(executor: Executor, id: string): Promise<Session | undefined> {
  const [session] = await executor.select().from(sessions).where(eq(sessions.id, id)).for('update')
  return session
}

async function factsOf(
  executor: Executor,
  principal: Principal,
  input: TurnInput,
  { lease, settled }: Admission,
): Promise<AdmissionSnapshot> {
  const { hash, key, retried } = input.identity
  const { keyId } = principal
  const [facts] = await readAdmissionSnapshot(executor, {
    ...{ accountId: principal.accountId, keyId, sessionId: input.sessionId },
    ...{ hash, retried, lookBack: key === undefined && keyId !== null, retryWindowMinutes },
    settled: [lease.owner, ...(settled?.replicas ?? []), ...(settled?.gone ?? [])],
    lost: [...(settled?.lost.keys() ?? [])],
    lostAt: [...(settled?.lost.values() ?? [])],
    gone: [...(settled?.gone ?? [])],
  })
  if (!facts) throw new Error('a select without a source returned no row')
  return facts
}

/**
 * Checks that the key works and that its plan allows API access.
 * @throws ServiceError `invalid_api_key`, or for a plan without API access.
 */
function requireKey(principal: Principal, plan: Plan, facts: AdmissionSnapshot): void {
  if (principal.keyId === null) return
  if (!facts.key_usable)
    throw new ServiceError('invalid_api_key', 'The API key was revoked. Use another key.')
  if (!plan.apiAccess) throw noApiAccess(plan.name)
}

async function repeatedRun(
  executor: Executor,
  { accountId, keyId }: Principal,
  { hash, key }: RequestIdentity,
  { repeats }: AdmissionSnapshot,
): Promise<Run | undefined> {
  if (key !== undefined) return findByKey(executor, { accountId, apiKeyId: keyId ?? noApiKey }, { hash, key })
  return repeats === null ? undefined : runOf(executor, repeats)
}

/** A new session in the named or the default project. It is written together with its first turn. */
async function newSession(
  executor: Executor,
  principal: Principal,
  input: TurnInput,
): Promise<Pick<Session, 'id' | 'projectId' | 'turnCount' | 'name'>> {
  if (input.projectId !== undefined && !(await holdProject(executor, principal, input.projectId)))
    throw notFound()
  const projectId = input.projectId ?? (await defaultProjectId(executor, principal))
  return { id: newId('session'), projectId, turnCount: 0, name: '' }
}

async function runOf(executor: Executor, id: string): Promise<Run | undefined> {
  const [run] = await executor.select().from(runs).where(eq(runs.id, id))
  return run
}

/**
 * Whether the run is still as its start wrote it. False once any replica, this one included, has claimed it
 * from the queue.
 */
function isOwnStart(run: Run, lease: Lease, as: 'queued' | 'in_progress' | undefined): boolean {
  if (as === 'queued') return run.status === 'queued'
  return run.epoch === 1 && run.leaseOwner === lease.owner
}

/**
 * Checks the session's queue, the rate limit and the concurrency limit. Each session with an unfinished turn
 * uses one slot, so a queued turn always has the slot of its session. The counts are exact, because an
 * account's starts are serialised.
 * @throws ServiceError `session_busy`, `rate_limit_exceeded`, `too_many_concurrent_runs`.
 */
function requireRoom(plan: Plan, facts: AdmissionSnapshot): void {
  if (facts.session_turns > plan.queuedTurns) {
    throw new ServiceError(
      'session_busy',
      'Too many turns of this session are queued. Wait for one to end.',
      { shouldRetry: false },
    )
  }
  const first = facts.first_lately
  const inWindow = first?.since ?? first?.count ?? 0
  if (inWindow >= plan.turnsPerMinute) {
    const seconds = Math.max(first?.seconds ?? 1, 1)
    throw new ServiceError(
      'rate_limit_exceeded',
      `The plan "${plan.name}" allows ${plan.turnsPerMinute} turns per minute. Try again in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    )
  }
  if (facts.session_turns === 0 && facts.taken_places >= plan.concurrentTurns) {
    throw new ServiceError(
      'too_many_concurrent_runs',
      `${concurrencyText(plan)} Wait for an answer to end.`,
      { retryAfterSeconds: 5 },
    )
  }
}

function concurrencyText({ name, concurrentTurns }: Plan): string {
  if (concurrentTurns === 1) return `One answer at a time on the plan "${name}".`
  return `The plan "${name}" allows ${concurrentTurns} concurrent turns.`
}
