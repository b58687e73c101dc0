import { and, desc, eq, gt, ne, type SQL, sql } from 'drizzle-orm'
import { accountSuspended } from '../../accounts/accounts.ts'
import { noApiAccess, type Plan } from '../../accounts/plans.ts'
import { confinedTo, type Principal } from '../../accounts/principal.ts'
import { availableIn, creditsOf, ensureAllowance } from '../../billing/account-credits.ts'
import { insufficient } from '../../billing/insufficient.ts'
import { findReachedCap, keyCapReached } from '../../billing/key-spending.ts'
import type { Executor } from '../../db/client.ts'
import {
  accounts,
  apiKeys,
  idempotencyKeys,
  projectInstructions,
  projects,
  runs,
  sessions,
} from '../../db/schema/index.ts'
import { notFound } from '../../errors.ts'
import { hasQuestion, newInput } from '../run/transcript.ts'
import type { TurnLimits } from '../run/turn-limits.ts'
import { defaultProjectId } from '../sessions/projects.ts'
import type { Admission, Repetition } from './admission-types.ts'
import { NotLastTurn } from './continuation.ts'
import { adopt, findEqualRun } from './equal-run.ts'
import * as refuse from './refusals.ts'
import type { TurnInput } from './turn-input.ts'

/** Where a turn runs. */
export type Place = {
  readonly projectId: string
  /** Whether it waits for the open turn of its session, whose slot it shares. */
  readonly isQueued: boolean
}

/** The rules of admission, one by one. Each throws if it refuses the turn. */
export class Look {
  readonly #tx: Executor
  /** With the plan that the account has now. */
  admission: Admission
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
    if (!row) throw notFound()
    if (row.suspendedAt) throw accountSuspended()
    this.plan = plans.of(row.plan)
    this.#state = { ...row, now: new Date(row.now) }
    this.admission = { ...this.admission, principal: { ...principal, plan: this.plan } }
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
    if (!this.plan.apiAccess) throw noApiAccess(this.plan.name)
  }

  /** The run that this request repeats, if there is one. */
  async equalRun(): Promise<Repetition | undefined> {
    const { principal, input, clientAt } = this.admission
    const { hash, key, retried } = input.identity
    const { accountId, keyId } = principal
    if (key === undefined) {
      if (keyId === null) return undefined
      return findEqualRun(this.#tx, { accountId, keyId, hash, retried, clientAt })
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
    return adopt(this.#tx, known.runId, clientAt, 'idempotency_key')
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
    if (!session) throw notFound()
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
    if (input.projectId !== undefined) throw notFound()
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
    if (cap) throw keyCapReached(cap, micros, now)
    await ensureAllowance(this.#tx, accountId, this.plan)
    const available = availableIn(await creditsOf(this.#tx, accountId))
    if (available < micros) throw insufficient(micros, available, now)
  }
}

/** The project of a new session. A project that the principal cannot see is none. */
export function projectOf(principal: Principal, { projectId }: TurnInput): string | null {
  if (projectId === undefined) return principal.binding.projectId
  const confined = confinedTo(principal)
  return confined === null || confined === projectId ? projectId : ''
}

/** What a start holds, in micro-credits. */
export function holdOf({ firstCallMicros }: TurnInput, { maxMicros }: TurnLimits): bigint {
  return firstCallMicros < maxMicros ? firstCallMicros : maxMicros
}

/**
 * The rate limit as spacing and tolerance of the generic cell rate algorithm (ITU-T I.371, annex A; virtual scheduling):
 * a full minute's turns may start at once, then one per spacing.
 */
export function paceOf({ turnsPerMinute }: Plan): {
  readonly spacingSeconds: number
  readonly burstSeconds: number
} {
  const spacingSeconds = 60 / Math.max(turnsPerMinute, 1)
  return { spacingSeconds, burstSeconds: 60 - spacingSeconds }
}
