import { and, desc, eq, gt, ne, type SQL, sql } from 'drizzle-orm'
import type { Plan, Plans } from '../../accounts/plans.ts'
import { confinedTo, type Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import { availableIn, creditsOf, ensureAllowance } from '../../billing/account-credits.ts'
import { findReachedCap } from '../../billing/key-spending.ts'
import type { Executor } from '../../db/client.ts'
import { databaseFault } from '../../db/errors.ts'
import {
  accounts,
  apiKeys,
  idempotencyKeys,
  projectInstructions,
  projects,
  runs,
  sessions,
} from '../../db/schema/index.ts'
import { newId } from '../../ids.ts'
import type { Lease } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { newInput } from '../run/transcript.ts'
import type { TurnLimits } from '../run/turn-limits.ts'
import { attachFiles } from '../sessions/attachments.ts'
import { defaultProjectId } from '../sessions/projects.ts'
import { statements } from '../store/statements.ts'
import { type Send, sendIn } from '../store/turn-store.ts'
import { NotLastTurn } from './continuation.ts'
import { findEqualRun } from './equal-run.ts'
import * as refuse from './refusals.ts'
import { hasQuestion, inputRows, newRun, sessionNameOf } from './run-values.ts'
import type { TurnInput } from './turn-input.ts'

/** Hours for which an `Idempotency-Key` is remembered. */
const keyHours = 24

/**
 * The retry window, in minutes, for requests without an `Idempotency-Key`. Equal requests on two open connections start two
 * turns, because a back end serves many people with one API key.
 */
export const windowMinutes = 15

export type Admission = {
  readonly principal: Principal
  readonly input: TurnInput
  readonly plans: Plans
  readonly limits: TurnLimits
  /** The lease of this process, which drives the run unless it is queued. */
  readonly lease: Lease
  /** All attempts at one start share this id, so none can write a second run. */
  readonly runId: string
  /** The name under which this process holds clients. Null while other replicas cannot see it. */
  readonly clientAt: string | null
}

/** Why a request was admitted, as its run keeps it. The statement adds `available_micros` and `open_turns` from before. */
export type AdmissionFacts = {
  /**
   * `plain`: one statement found nothing against it. `looked`: a transaction looked at each rule. `queued`: behind the open
   * turn of its session.
   */
  readonly rule: 'plain' | 'looked' | 'queued'
  /** An unfinished equal run whose client is connected to another live replica. */
  readonly equal_run?: string
}

export type Admitted = {
  readonly kind: 'admitted'
  readonly run: Run
  /** The messages of this turn, as they are stored. */
  readonly fresh: readonly ModelMessage[]
}

export type Decision =
  | Admitted
  /** The request repeats this one, by this rule. Its client is now the run's client. */
  | { readonly kind: 'repeated'; readonly runId: string; readonly rule: RetryRule }
  /** An earlier attempt at this start wrote the run. */
  | { readonly kind: 'written' }
  /** An equal run is unfinished, and its client is connected to another live replica. Look again. */
  | { readonly kind: 'undecided'; readonly runId: string }

export type RetryRule = 'idempotency_key' | 'marked_as_retry' | 'client_disconnected' | 'replica_ended'

/**
 * Admits a turn in one statement, if nothing speaks against it: the common case.
 * @returns undefined if it was not admitted, for whatever reason. Nothing was written then.
 */
export async function admitAtOnce(send: Send, admission: Admission): Promise<Admitted | undefined> {
  const { principal, input } = admission
  const isPlain =
    input.identity.key === undefined &&
    !input.identity.retried &&
    !bringsFiles(input) &&
    hasPlace(principal, input)
  if (!isPlain || !mayCall(principal)) return undefined
  const facts: AdmissionFacts = { rule: 'plain' }
  try {
    return await write(send, admission, { facts })
  } catch (error) {
    // The session has an open turn, or is gone; or a start on another replica took the number of the turn.
    if (isRefused.has(databaseFault(error)?.code ?? '')) return undefined
    throw error
  }
}

/** SQLSTATE of violations of `not null` and `unique`. */
const isRefused = new Set(['23502', '23505'])

/** Whether the place of the turn is known without a look: a session, or the key's project. */
function hasPlace(principal: Principal, input: TurnInput): boolean {
  return input.sessionId !== undefined || Boolean(projectOf(principal, input))
}

const mayCall = ({ keyId, plan }: Principal): boolean =>
  (keyId === null || plan.apiAccess) && plan.turnsPerMinute > 0 && plan.concurrentTurns > 0

function bringsFiles({ attachments }: TurnInput): boolean {
  return attachments !== undefined && attachments.ids.size + attachments.inline.size > 0
}

/**
 * Looks at each rule under the account's lock, in their order, and admits the turn with the same statement if none refuses
 * it. It also does what one statement cannot: it finds equal requests, creates the default project, gives the month's
 * allowance and stores the files of the request.
 * @param tx a transaction that the caller rolls back if this throws.
 * @param again whether an earlier attempt at this start may have written the run.
 * @param isLast an equal run that is still undecided no longer counts.
 * @throws ServiceError of `refusals`. `NotLastTurn` if the session has a newer turn than `input.after`.
 */
export async function admitWithLook(
  tx: Executor,
  admission: Admission,
  { again, isLast }: { readonly again: boolean; readonly isLast: boolean },
): Promise<Decision> {
  const look = new Look(tx, admission)
  await look.account()
  if (again && (await look.isWritten())) return { kind: 'written' }
  await look.key()
  const known = await look.equalRun()
  if (known?.kind === 'repeated') return known
  if (known && !isLast) return known
  const place = await look.place()
  await look.limits(place)
  await look.credits(place)
  const { input } = admission
  const files = bringsFiles(input) ? input.attachments : undefined
  const facts: AdmissionFacts = {
    rule: place.isQueued ? 'queued' : 'looked',
    ...(known && { equal_run: known.runId }),
  }
  const admitted = await write(sendIn(tx), look.admission, {
    ...place,
    facts,
    withoutInput: files !== undefined,
    checked: true,
  })
  if (!admitted) throw new Error('a turn that no rule refuses was not admitted')
  if (!files) return admitted
  const { accountId, projectId, sessionId, id, turn } = admitted.run
  const where = { accountId, projectId, sessionId, runId: null }
  const fresh = await attachFiles(tx, admission.principal, where, admitted.fresh, files, look.plan)
  await tx.execute(sql`
    insert into messages (id, account_id, session_id, run_id, turn, position, role, content, transcript)
    select m.id, ${accountId}, ${sessionId}, ${id}, ${turn}, m.position, m.content->>'role', m.content, decode(m.transcript, 'hex')
    from jsonb_to_recordset(${inputRows(fresh, input.transcript)}::jsonb) as m (id text, position int, content jsonb, transcript text)`)
  return { ...admitted, fresh }
}

/** Where a turn runs. */
type Place = {
  readonly projectId: string
  /** Whether it waits for the open turn of its session, whose slot it shares. */
  readonly isQueued: boolean
}

/** The rules of admission, one by one. Each throws if it refuses the turn. */
class Look {
  readonly #tx: Executor
  readonly admission: Admission
  plan: Plan
  #state: { readonly openTurns: number; readonly waitSeconds: number; readonly now: Date } | undefined

  constructor(tx: Executor, admission: Admission) {
    this.#tx = tx
    this.admission = admission
    this.plan = admission.principal.plan
  }

  /** Locks the account's row. */
  async account(): Promise<void> {
    const { principal, plans } = this.admission
    const [row] = await this.#tx
      .select({
        plan: accounts.plan,
        suspendedAt: accounts.suspendedAt,
        openTurns: accounts.openTurns,
        waitSeconds: sql<number>`extract(epoch from ${accounts.nextStartAt} - clock_timestamp())::float8`,
        now: sql<string>`clock_timestamp()`,
      })
      .from(accounts)
      .where(and(eq(accounts.id, principal.accountId), ne(accounts.passwordHash, '')))
      .for('no key update')
    if (!row) throw refuse.unknown()
    if (row.suspendedAt) throw refuse.suspended()
    this.plan = plans.of(row.plan)
    this.#state = { ...row, now: new Date(row.now) }
    Object.assign(this, { admission: { ...this.admission, principal: { ...principal, plan: this.plan } } })
  }

  async isWritten(): Promise<boolean> {
    const { runId } = this.admission
    return (await this.#tx.select({ id: runs.id }).from(runs).where(eq(runs.id, runId))).length > 0
  }

  /** The key of the request works, and its plan may call the API. */
  async key(): Promise<void> {
    const { keyId } = this.admission.principal
    if (keyId === null) return
    const [key] = await this.#tx
      .select({ works: sql<boolean>`revoked_at is null and (expires_at is null or expires_at > now())` })
      .from(apiKeys)
      .where(eq(apiKeys.id, keyId))
    if (!key?.works) throw refuse.revokedKey()
    if (!this.plan.apiAccess) throw refuse.withoutApiAccess(this.plan)
  }

  /** The run that this request repeats, if there is one. */
  async equalRun(): Promise<Extract<Decision, { kind: 'repeated' | 'undecided' }> | undefined> {
    const { principal, input, clientAt } = this.admission
    const { hash, key, retried } = input.identity
    const { accountId, keyId } = principal
    if (key === undefined) {
      if (keyId === null) return undefined
      return findEqualRun(this.#tx, { accountId, keyId, hash, retried, clientAt, windowMinutes })
    }
    const mine = and(
      eq(idempotencyKeys.accountId, accountId),
      eq(idempotencyKeys.apiKeyId, keyId ?? ''),
      eq(idempotencyKeys.key, key),
    )
    const [known] = await this.#tx
      .select({
        hash: idempotencyKeys.requestHash,
        runId: idempotencyKeys.runId,
        isOld: sql<boolean>`expires_at <= now()`,
      })
      .from(idempotencyKeys)
      .where(mine)
    if (!known) return undefined
    if (known.isOld) {
      await this.#tx.delete(idempotencyKeys).where(mine)
      return undefined
    }
    if (!known.hash.equals(hash)) throw refuse.reusedIdempotencyKey()
    await this.#tx.update(runs).set({ clientAt, clientClosedAt: null }).where(eq(runs.id, known.runId))
    return { kind: 'repeated', runId: known.runId, rule: 'idempotency_key' }
  }

  /** The session or project of the turn. The session's row is locked. */
  async place(): Promise<Place> {
    const { principal, input } = this.admission
    const fresh = newInput(input.messages, input.sessionId !== undefined)
    const field = input.attachments?.param ?? 'messages'
    if (input.sessionId === undefined) {
      if (!hasQuestion(fresh)) throw refuse.withoutQuestion(field)
      return { projectId: await this.#project(principal, input), isQueued: false }
    }
    const [session] = await this.#tx
      .select({ projectId: sessions.projectId, openRuns: sessions.openRuns })
      .from(sessions)
      .where(and(eq(sessions.id, input.sessionId), eq(sessions.accountId, principal.accountId)))
      .for('update')
    if (!session) throw refuse.unknown()
    if (input.after && (await this.#hasTurnAfter(input.sessionId, input.after.turn))) throw new NotLastTurn()
    if (!hasQuestion(fresh)) throw refuse.withoutQuestion(field)
    if (session.openRuns > this.plan.queuedTurns) throw refuse.busySession()
    return { projectId: session.projectId, isQueued: session.openRuns > 0 }
  }

  /** Failed turns add nothing to the conversation, so they do not count. */
  async #hasTurnAfter(sessionId: string, turn: number): Promise<boolean> {
    const later = and(eq(runs.sessionId, sessionId), gt(runs.turn, turn), ne(runs.status, 'failed'))
    return (await this.#tx.select({ id: runs.id }).from(runs).where(later).limit(1)).length > 0
  }

  async #project(principal: Principal, input: TurnInput): Promise<string> {
    const named = projectOf(principal, input)
    const [found] = await this.#tx
      .select({ id: projects.id })
      .from(projects)
      .where(and(eq(projects.id, named ?? ''), eq(projects.accountId, principal.accountId)))
      .for('key share')
    if (found) return found.id
    if (input.projectId !== undefined) throw refuse.unknown()
    return defaultProjectId(this.#tx, principal)
  }

  /** The limits of the plan and of the key: turns per minute, and concurrent turns. */
  async limits({ isQueued }: Place): Promise<void> {
    const { plan } = this
    const { openTurns = 0, waitSeconds = 0 } = this.#state ?? {}
    const { burstSeconds } = paceOf(plan)
    if (plan.turnsPerMinute === 0 || waitSeconds > burstSeconds)
      throw refuse.rateLimit(plan, Math.max(Math.ceil(waitSeconds - burstSeconds), 1))
    if (!isQueued && openTurns >= plan.concurrentTurns) throw refuse.concurrency(plan)
    await this.#limitsOfKey()
  }

  async #limitsOfKey(): Promise<void> {
    const { keyId, accountId } = this.admission.principal
    if (keyId === null) return
    const [limits] = await this.#tx
      .select({ starts: apiKeys.requestsPerMinute, slots: apiKeys.concurrentTurns })
      .from(apiKeys)
      .where(eq(apiKeys.id, keyId))
    const { starts = null, slots = null } = limits ?? {}
    // The account's recent and open runs are few. An index of all runs of a key would find older ones.
    const ofKey = (which: SQL | undefined) =>
      and(eq(runs.accountId, accountId), which, sql`${runs.apiKeyId} || '' = ${keyId}`)
    if (starts !== null) {
      const [nth] = await this.#tx
        .select({
          seconds: sql<number>`ceil(extract(epoch from ${runs.createdAt} + interval '1 minute' - now()))::int`,
        })
        .from(runs)
        .where(ofKey(sql`${runs.createdAt} > now() - interval '1 minute'`))
        .orderBy(desc(runs.createdAt))
        .offset(Math.max(starts - 1, 0))
        .limit(1)
      if (nth || starts === 0) throw refuse.keyRateLimit(starts, Math.max(nth?.seconds ?? 60, 1))
    }
    if (slots === null) return
    const open = await this.#tx
      .selectDistinct({ id: runs.sessionId })
      .from(runs)
      .where(ofKey(sql`${runs.status} in ('queued', 'in_progress')`))
    const hasOwn = open.some(({ id }) => id === this.admission.input.sessionId)
    if (open.length >= slots && !hasOwn) throw refuse.keyConcurrency(slots)
  }

  async #instructionTokens(projectId: string): Promise<number> {
    const [row] = await this.#tx
      .select({ tokens: projectInstructions.tokens })
      .from(projects)
      .innerJoin(
        projectInstructions,
        and(
          eq(projectInstructions.projectId, projects.id),
          eq(projectInstructions.hash, projects.instructionsHash),
        ),
      )
      .where(eq(projects.id, projectId))
    return row?.tokens ?? 0
  }

  /** The hold fits under the spending caps of the key and into the account's credits. */
  async credits({ projectId }: Place): Promise<void> {
    const { principal, input, limits } = this.admission
    const { accountId, keyId } = principal
    const told = BigInt(await this.#instructionTokens(projectId)) * (input.tokenMicros ?? 0n)
    const micros = holdOf({ ...input, firstCallMicros: input.firstCallMicros + told }, limits)
    const { now = new Date() } = this.#state ?? {}
    const cap = keyId === null ? undefined : await findReachedCap(this.#tx, { accountId, keyId, micros })
    if (cap) throw refuse.reachedCap(cap, micros, now)
    await ensureAllowance(this.#tx, accountId, this.plan)
    const available = availableIn(await creditsOf(this.#tx, accountId))
    if (available < micros) throw refuse.withoutCredits(micros, available, now)
  }
}

/** The project of a new session. A project that the principal cannot see is none. */
function projectOf(principal: Principal, { projectId }: TurnInput): string | null {
  if (projectId === undefined) return principal.binding.projectId
  const confined = confinedTo(principal)
  return confined === null || confined === projectId ? projectId : ''
}

/** What a start holds, in micro-credits. */
function holdOf({ firstCallMicros }: TurnInput, { maxMicros }: TurnLimits): bigint {
  return firstCallMicros < maxMicros ? firstCallMicros : maxMicros
}

/**
 * The rate limit as spacing and tolerance of the generic cell rate algorithm (ITU-T I.371, annex A; virtual scheduling):
 * a full minute's turns may start at once, then one per spacing.
 */
function paceOf({ turnsPerMinute }: Plan): {
  readonly spacingSeconds: number
  readonly burstSeconds: number
} {
  const spacingSeconds = 60 / Math.max(turnsPerMinute, 1)
  return { spacingSeconds, burstSeconds: 60 - spacingSeconds }
}

type Written = {
  readonly project: string
  readonly turn: number
  readonly instructions: string | null
  readonly hold: string
  readonly held_allowance: string
  /** Instants are texts in a transaction, because the query builder leaves them as they come. */
  readonly created_at: Date | string
  readonly deadline_at: Date | string
  readonly lease_expires_at: Date | string | null
  readonly started_at: Date | string | null
}

/** Sends the admitting statement. Undefined if it admitted nothing. */
async function write(
  send: Send,
  admission: Admission,
  {
    projectId,
    isQueued = false,
    withoutInput = false,
    checked = false,
    facts,
  }: Partial<Place> & {
    readonly facts: AdmissionFacts
    /** The caller writes the input in the same transaction. */
    readonly withoutInput?: boolean
    /** Whether the key's limits and equal requests were looked at. */
    readonly checked?: boolean
  },
): Promise<Admitted | undefined> {
  const { principal, input, limits, lease, clientAt } = admission
  const { plan } = principal
  const inSession = input.sessionId !== undefined
  const fresh = newInput(input.messages, inSession)
  if (!hasQuestion(fresh)) return undefined
  const run = newRun(principal, input, admission)
  const sessionId = input.sessionId ?? newId('session')
  const [row] = await send<Written>(inSession ? statements.admitInSession : statements.admit, {
    ...{
      account: principal.accountId,
      key: principal.keyId,
      hash: input.identity.hash,
      checked,
      windowMinutes,
    },
    ...{ plan: plan.name, slots: plan.concurrentTurns, slot: isQueued ? 0 : 1, monthly: plan.monthlyMicros },
    ...paceOf(plan),
    ...{
      hold: holdOf(input, limits),
      max: limits.maxMicros,
      queued: isQueued,
      tokenMicros: input.tokenMicros,
    },
    ...{ session: sessionId, sessionName: sessionNameOf(fresh), after: input.after?.turn },
    project: projectId ?? projectOf(principal, input),
    ...{
      run: run.id,
      message: run.messageId,
      model: input.model,
      onDisconnect: input.onDisconnect,
      clientAt,
    },
    ...{
      request: JSON.stringify(input.request),
      input: withoutInput ? '[]' : inputRows(fresh, input.transcript),
    },
    ...{ idempotencyKey: input.identity.key, keyHours, facts: JSON.stringify(facts) },
    ...{ owner: lease.owner, leaseSeconds: lease.seconds, turnSeconds: limits.turnSeconds },
  })
  if (!row) return undefined
  const isRunning = row.started_at !== null
  return {
    kind: 'admitted',
    fresh,
    run: {
      ...run,
      ...{ sessionId, projectId: row.project, turn: row.turn },
      ...{ holdMicros: BigInt(row.hold), heldAllowanceMicros: BigInt(row.held_allowance), admission: facts },
      projectInstructions: row.instructions,
      status: isRunning ? 'in_progress' : 'queued',
      epoch: isRunning ? 1 : 0,
      leaseOwner: isRunning ? lease.owner : null,
      ...{ createdAt: new Date(row.created_at), deadlineAt: new Date(row.deadline_at) },
      leaseExpiresAt: row.lease_expires_at === null ? null : new Date(row.lease_expires_at),
      startedAt: row.started_at === null ? null : new Date(row.started_at),
    },
  }
}
