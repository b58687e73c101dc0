import { and, eq, gt, isNotNull, lt, ne, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { accounts, signInSteps } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import { lockAccount, notDeleted, requireNotSuspended } from '../accounts.ts'
import { recordAction } from '../audit.ts'
import { findSecondFactor, wrongCode } from '../second-factor/second-factor.ts'
import { newToken, tokenDigest } from './token-digest.ts'
import { openWebSession } from './web-sessions.ts'

/** Minutes within which a sign-in must be finished. */
export const stepMinutes = 10

/** Codes that may be tried in one sign-in. */
const maxTries = 5

/** Where a sign-in comes from. */
export type Origin = {
  /** As `clientAddress` gives it, for the audit log. */
  readonly address: string
  /** `User-Agent` of the browser. */
  readonly agent: string
}

/** A sign-in that is finished, or the step that is missing. The token is for the cookie of its kind. */
export type Entered = {
  readonly accountId: string
  /** `closed`: the owner has closed the account, and may take its deletion back by `keepAccount`. */
  readonly kind: 'session' | Stage
  readonly token: string
}

/** What a begun sign-in waits for. At `closed` the person has proved everything. */
export type Stage = 'second-factor' | 'closed'

/**
 * Lets a person in who has proved to be the owner: opens a session, or a step if the account has a second factor or is
 * closed. A step gives no access to anything.
 * @param executor one transaction, which has read or locked the account's row.
 */
export async function enterAccount(executor: Executor, accountId: string, origin: Origin): Promise<Entered> {
  if (await findSecondFactor(executor, accountId)) return openStep(executor, accountId, 'second-factor')
  return enterProved(executor, accountId, origin)
}

async function enterProved(executor: Executor, accountId: string, origin: Origin): Promise<Entered> {
  const closed = and(eq(accounts.id, accountId), isNotNull(accounts.deletionDueAt))
  if ((await executor.$count(accounts, closed)) > 0) return openStep(executor, accountId, 'closed')
  return { accountId, kind: 'session', token: await openSignedIn(executor, accountId, origin) }
}

async function openSignedIn(
  executor: Executor,
  accountId: string,
  { address, agent }: Origin,
): Promise<string> {
  const details = { address }
  await recordAction(executor, { actor: accountId, action: 'session.signed_in', accountId, details })
  return openWebSession(executor, { accountId, agent })
}

async function openStep(executor: Executor, accountId: string, kind: Stage): Promise<Entered> {
  const { token, digest } = newToken()
  await executor.insert(signInSteps).values({
    digest,
    accountId,
    data: { stage: kind },
    expiresAt: sql`now() + make_interval(mins => ${stepMinutes})`,
  })
  return { accountId, kind, token }
}

const open = (token: string, stage: Stage) =>
  and(
    eq(signInSteps.digest, tokenDigest(token)),
    ne(signInSteps.accountId, ''),
    sql`coalesce(${signInSteps.data} ->> 'stage', 'second-factor') = ${stage}`,
    gt(signInSteps.expiresAt, sql`now()`),
    lt(signInSteps.tries, maxTries),
  )

/** The account that a step is for. Undefined if the step is unknown, over or at another stage. */
export async function findStep(
  executor: Executor,
  token: string,
  stage: Stage,
): Promise<
  { readonly accountId: string; readonly email: string; readonly deletionDueAt: Date | null } | undefined
> {
  const [step] = await executor
    .select({ accountId: accounts.id, email: accounts.email, deletionDueAt: accounts.deletionDueAt })
    .from(signInSteps)
    .innerJoin(accounts, eq(accounts.id, signInSteps.accountId))
    .where(and(open(token, stage), notDeleted))
  return step
}

/**
 * Finishes a sign-in by its second factor. Each call counts as a try before it is checked, so that concurrent ones gain
 * nothing.
 * @param proves checks the second factor, and uses it up.
 * @returns the new session, or the step that is missing.
 * @throws ServiceError `not_found` for a step that is over, `invalid_value` for a wrong code, `account_suspended`.
 */
export async function finishStep(
  database: Database,
  token: string,
  origin: Origin,
  proves: (tx: Executor) => Promise<boolean>,
): Promise<Entered> {
  const [step] = await database.system
    .update(signInSteps)
    .set({ tries: sql`${signInSteps.tries} + 1` })
    .where(open(token, 'second-factor'))
    .returning({ accountId: signInSteps.accountId })
  if (!step) throw stepIsOver()
  const { accountId } = step
  const entered = await withTx(database, 'system', async (tx) => {
    const [account] = await tx
      .select({ suspendedAt: accounts.suspendedAt, deletionDueAt: accounts.deletionDueAt })
      .from(accounts)
      .where(and(eq(accounts.id, accountId), notDeleted))
      .for('share')
    if (!account) throw stepIsOver()
    requireNotSuspended(account)
    if (!(await proves(tx))) return undefined
    // A change of the password ends the step meanwhile.
    await takeStep(tx, token)
    return enterProved(tx, accountId, origin)
  })
  if (entered !== undefined) return entered
  const details = { address: origin.address, factor: 'second' }
  const failed = { actor: accountId, action: 'session.sign_in_failed', accountId, details } as const
  await recordAction(database.system, failed)
  throw wrongCode()
}

async function takeStep(executor: Executor, token: string): Promise<void> {
  const { rowCount } = await executor.delete(signInSteps).where(eq(signInSteps.digest, tokenDigest(token)))
  if (rowCount !== 1) throw stepIsOver()
}

/**
 * Finishes a sign-in to an account that its owner has closed: takes its deletion back.
 * @returns the new session.
 * @throws ServiceError `not_found` for a step that is over, or an account that is deleted; `account_suspended` if an
 *   operator has suspended it meanwhile.
 */
export function keepAccount(database: Database, token: string, origin: Origin): Promise<Entered> {
  return withTx(database, 'system', async (tx) => {
    const step = await findStep(tx, token, 'closed')
    if (!step) throw stepIsOver()
    const { accountId } = step
    const account = await lockAccount(tx, accountId)
    requireNotSuspended(account)
    await takeStep(tx, token)
    if (account.deletionDueAt) {
      const kept = { suspendedAt: null, deletionDueAt: null }
      await tx.update(accounts).set(kept).where(eq(accounts.id, accountId))
      await recordAction(tx, { actor: accountId, action: 'account.deletion_taken_back', accountId })
    }
    return enterProved(tx, accountId, origin)
  })
}

/** Ends the sign-ins of an account that have begun. */
export async function endSteps(executor: Executor, accountId: string): Promise<void> {
  await executor.delete(signInSteps).where(eq(signInSteps.accountId, accountId))
}

function stepIsOver(): ServiceError {
  return new ServiceError(
    'not_found',
    'This sign-in took too long or had too many wrong codes. Sign in again.',
  )
}
