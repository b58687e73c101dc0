import { and, eq, sql } from 'drizzle-orm'
import { usable } from '../accounts/keys.ts'
import { noApiAccess, type Plan, type Plans } from '../accounts/plans.ts'
import type { Principal } from '../accounts/principal.ts'
import type { ModelMessage } from '../agent/provider.ts'
import { placeHold } from '../billing/holds.ts'
import { ensureAllowance } from '../billing/pools.ts'
import type { Executor } from '../db/client.ts'
import { accounts, apiKeys, runs, sessions } from '../db/schema/index.ts'
import { notFound, ServiceError } from '../errors.ts'
import { newId } from '../ids.ts'
import { type Attachments, attachFiles } from './attachments.ts'
import { requireLast } from './continuation.ts'
import { findRepeated, noApiKey, type RequestIdentity, rememberKey } from './idempotency.ts'
import type { Lease } from './leases.ts'
import { defaultProjectId, findProject } from './projects.ts'
import type { RunRequest } from './run-request.ts'
import type { Session } from './sessions.ts'
import { newInput, storeInput, textOf } from './transcript.ts'
import { countTurns, unfinished } from './turn-counts.ts'

export type Run = typeof runs.$inferSelect

export type TurnInput = {
  readonly model: string
  /** What the first model call may cost: set aside at the start, and extended before each further call. */
  readonly firstCallMicros: bigint
  /** Every message the client sent, in order. */
  readonly messages: readonly ModelMessage[]
  /** The files that the messages bring along. */
  readonly attachments?: Attachments
  readonly sessionId: string | undefined
  readonly projectId: string | undefined
  /** The turn of the named session that this one goes on from; undefined: from whatever was said last. */
  readonly after?: Run
  readonly request: RunRequest
  readonly identity: RequestIdentity
  readonly onDisconnect: 'continue' | 'cancel'
}

export type TurnLimits = {
  /** Wall-clock bound of a turn, waiting included. */
  readonly turnSeconds: number
  /** What a turn may cost at most, however many steps it takes. */
  readonly mostMicros: bigint
}

export const defaultTurnLimits: TurnLimits = Object.freeze({ turnSeconds: 1_800, mostMicros: 50_000_000n })

/** A hold outlives its run's deadline by a minute: only a run that nobody ended can exceed it. */
const holdGraceSeconds = 60

export type Admission = {
  readonly plans: Plans
  readonly limits: TurnLimits
  /** The replica that will drive the run unless it has to wait. */
  readonly lease: Lease
  /** Run of an earlier attempt at this very start, whose COMMIT got no answer. */
  readonly unsure?: string | undefined
}

/** `repeated`: the request is one that had started this run before; nothing was written. */
export type Started = { readonly run: Run; readonly repeated: boolean }

/**
 * Admits a turn in the caller's one transaction: the key and its plan are still valid, the request is no repetition,
 * the session has room, the account has a free place and credits; then input, run and hold are written. Nothing of
 * it stays if anything fails.
 * @throws ServiceError as the order of checks has it: 401, 403, 404, 400, 409, 429, 402. `Overtaken` when something
 * has been said in the session since the turn that this one was to go on from.
 */
export async function startTurn(
  executor: Executor,
  principal: Principal,
  input: TurnInput,
  { plans, limits, lease, unsure }: Admission,
): Promise<Started> {
  const plan = await lockAccount(executor, principal, plans)
  const { accountId, keyId } = principal
  // Under the account's lock, which an attempt that is still under way holds: now the answer is final.
  const written = unsure === undefined ? undefined : await runOf(executor, unsure)
  if (written) return { run: written, repeated: !isOwnStart(written, lease) }
  const owner = { accountId, apiKeyId: keyId ?? noApiKey }
  const earlier = await findRepeated(executor, owner, input.identity)
  if (earlier) return { run: earlier, repeated: true }
  const session = await sessionOf(executor, principal, input)
  if (input.after) await requireLast(executor, input.after)
  const added = newInput(input.messages, input.sessionId !== undefined)
  requireQuestion(added)
  const place = { accountId, projectId: session.projectId, sessionId: session.id, runId: null }
  const fresh = input.attachments
    ? await attachFiles(executor, principal, place, added, input.attachments, plan)
    : added
  const waitsFor = await unfinishedRuns(executor, session.id)
  if (waitsFor > plan.queuedTurns) {
    throw new ServiceError(
      'session_busy',
      'Too many turns of this session are waiting. Let one of them end first.',
      { shouldRetry: false },
    )
  }
  await requireFreePlace(executor, accountId, plan, waitsFor > 0)
  const run = await insertRun(executor, principal, input, session, waitsFor > 0 ? undefined : lease, limits)
  await rememberKey(executor, owner, input.identity, run.id)
  await ensureAllowance(executor, accountId, plan)
  await placeHold(executor, {
    accountId,
    runId: run.id,
    micros: run.holdMicros,
    seconds: limits.turnSeconds + holdGraceSeconds,
  })
  await storeInput(executor, run, fresh)
  await touchSession(executor, session, run.turn, fresh)
  return { run, repeated: false }
}

function requireQuestion(fresh: readonly ModelMessage[]): void {
  if (fresh.some((message) => message.role === 'user' || message.role === 'tool')) return
  throw new ServiceError(
    'invalid_value',
    'There is no new message: `messages` must end with one of role `user`.',
    { param: 'messages' },
  )
}

/** Serialises the starts of one account and reads its plan and key as they are at this moment. */
async function lockAccount(executor: Executor, principal: Principal, plans: Plans): Promise<Plan> {
  const [account] = await executor
    .select({ plan: accounts.plan })
    .from(accounts)
    .where(eq(accounts.id, principal.accountId))
    .for('no key update')
  if (!account) throw notFound()
  const plan = plans.of(account.plan)
  if (principal.keyId === null) return plan
  const [key] = await executor
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.id, principal.keyId), usable))
  if (!key) throw new ServiceError('invalid_api_key', 'The API key has been revoked.')
  if (!plan.apiAccess) throw noApiAccess(plan.name)
  return plan
}

/** The session the turn runs in, locked; a new one in the named or the default project when none is named. */
async function sessionOf(executor: Executor, principal: Principal, input: TurnInput): Promise<Session> {
  if (input.sessionId !== undefined) {
    const [session] = await executor
      .select()
      .from(sessions)
      .where(eq(sessions.id, input.sessionId))
      .for('update')
    // Whether the principal may see it was asked before; it may have been deleted since.
    if (!session) throw notFound()
    return session
  }
  if (input.projectId !== undefined && !(await findProject(executor, principal, input.projectId)))
    throw notFound()
  const projectId = input.projectId ?? (await defaultProjectId(executor, principal))
  const [session] = await executor
    .insert(sessions)
    .values({ id: newId('session'), accountId: principal.accountId, projectId, model: input.model, name: '' })
    .returning()
  if (!session) throw new Error('insert returned no row')
  return session
}

async function unfinishedRuns(executor: Executor, sessionId: string): Promise<number> {
  const [row] = await executor
    .select({ count: sql<number>`count(*)::int` })
    .from(runs)
    .where(and(eq(runs.sessionId, sessionId), unfinished))
  return row?.count ?? 0
}

async function runOf(executor: Executor, id: string): Promise<Run | undefined> {
  const [run] = await executor.select().from(runs).where(eq(runs.id, id))
  return run
}

/** Whether the run is as its start has left it: nobody has claimed it since. */
function isOwnStart(run: Run, lease: Lease): boolean {
  return run.status === 'queued' || (run.epoch === 1 && run.leaseOwner === lease.owner)
}

/**
 * The turns of an account that started in the last minute, and its places: every session with an unfinished turn has
 * one, kept for the turn that waits there when the running one ends. So a start never takes the place of a turn that
 * waits, and one that waits in its session needs no other. Exact, because starts of one account are serialised.
 */
async function requireFreePlace(
  executor: Executor,
  accountId: string,
  plan: Plan,
  waits: boolean,
): Promise<void> {
  const { taken, lately, seconds } = await countTurns(executor, accountId)
  if (lately >= plan.turnsPerMinute) {
    throw new ServiceError(
      'rate_limit_exceeded',
      `The plan "${plan.name}" starts ${plan.turnsPerMinute} turns a minute. Try again in ${seconds} s.`,
      { retryAfterSeconds: Math.max(seconds, 1) },
    )
  }
  if (!waits && taken >= plan.concurrentTurns) {
    throw new ServiceError(
      'too_many_concurrent_runs',
      `The plan "${plan.name}" runs ${plan.concurrentTurns} turns at once. Wait for one to end.`,
      { retryAfterSeconds: 5 },
    )
  }
}

async function insertRun(
  executor: Executor,
  principal: Principal,
  input: TurnInput,
  session: Session,
  lease: Lease | undefined,
  limits: TurnLimits,
): Promise<Run> {
  const inSeconds = (seconds: number) => sql`now() + make_interval(secs => ${seconds})` as unknown as Date
  const [run] = await executor
    .insert(runs)
    .values({
      id: newId('run'),
      accountId: principal.accountId,
      projectId: session.projectId,
      sessionId: session.id,
      apiKeyId: principal.keyId,
      messageId: newId('message'),
      turn: session.turnCount + 1,
      model: input.model,
      request: input.request,
      requestHash: input.identity.hash,
      holdMicros: input.firstCallMicros < limits.mostMicros ? input.firstCallMicros : limits.mostMicros,
      mostMicros: limits.mostMicros,
      deadlineAt: inSeconds(limits.turnSeconds),
      onDisconnect: input.onDisconnect,
      ...(lease
        ? {
            status: 'in_progress' as const,
            epoch: 1,
            leaseOwner: lease.owner,
            leaseExpiresAt: inSeconds(lease.seconds),
            startedAt: sql`now()` as unknown as Date,
          }
        : { status: 'queued' as const }),
    })
    .returning()
  if (!run) throw new Error('insert returned no row')
  return run
}

/** Counts the turn, and names a session that has no name yet by its first question. */
async function touchSession(
  executor: Executor,
  session: Session,
  turn: number,
  input: readonly ModelMessage[],
): Promise<void> {
  const question = input.findLast((message) => message.role === 'user')
  const text = question?.role === 'user' ? textOf(question.content).replaceAll(/\s+/g, ' ').trim() : ''
  const name = session.name === '' ? [...text].slice(0, 80).join('') : session.name
  await executor
    .update(sessions)
    .set({ turnCount: turn, name, updatedAt: sql`now()` })
    .where(eq(sessions.id, session.id))
}
