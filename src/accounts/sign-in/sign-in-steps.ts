import { randomBytes } from 'node:crypto'
import { and, eq, gt, lt, ne, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { accounts, signInSteps } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import { accountSuspended, notDeleted } from '../accounts.ts'
import { recordAction } from '../audit.ts'
import { findSecondFactor, wrongCode } from '../second-factor/second-factor.ts'
import { tokenDigest } from './token-digest.ts'
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

/** A sign-in that is finished, or whose second factor is missing. The token is for the cookie of its kind. */
export type Entered = {
  readonly accountId: string
  readonly kind: 'session' | 'second-factor'
  readonly token: string
}

/**
 * Lets a person in who has proved to be the owner: opens a session, or a step if the account has a second factor. A step
 * gives no access to anything.
 * @param executor one transaction.
 */
export async function enterAccount(executor: Executor, accountId: string, origin: Origin): Promise<Entered> {
  if (await findSecondFactor(executor, accountId))
    return { accountId, kind: 'second-factor', token: await openStep(executor, accountId) }
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

async function openStep(executor: Executor, accountId: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await executor.insert(signInSteps).values({
    digest: tokenDigest(token),
    accountId,
    expiresAt: sql`now() + make_interval(mins => ${stepMinutes})`,
  })
  return token
}

const open = (token: string) =>
  and(
    eq(signInSteps.digest, tokenDigest(token)),
    ne(signInSteps.accountId, ''),
    gt(signInSteps.expiresAt, sql`now()`),
    lt(signInSteps.tries, maxTries),
  )

/** The account that a step is for. Undefined if the step is unknown or over. */
export async function findStep(
  executor: Executor,
  token: string,
): Promise<{ readonly accountId: string; readonly email: string } | undefined> {
  const [step] = await executor
    .select({ accountId: accounts.id, email: accounts.email })
    .from(signInSteps)
    .innerJoin(accounts, eq(accounts.id, signInSteps.accountId))
    .where(and(open(token), notDeleted))
  return step
}

/**
 * Finishes a sign-in by its second factor. Each call counts as a try before it is checked, so that concurrent ones gain
 * nothing.
 * @param proves checks the second factor, and uses it up.
 * @returns the token of the new session.
 * @throws ServiceError `not_found` for a step that is over, `invalid_value` for a wrong code, `account_suspended`.
 */
export async function finishStep(
  database: Database,
  token: string,
  origin: Origin,
  proves: (tx: Executor) => Promise<boolean>,
): Promise<string> {
  const [step] = await database.system
    .update(signInSteps)
    .set({ tries: sql`${signInSteps.tries} + 1` })
    .where(open(token))
    .returning({ accountId: signInSteps.accountId })
  if (!step) throw stepIsOver()
  const { accountId } = step
  const session = await withTx(database, 'system', async (tx) => {
    const [account] = await tx
      .select({ suspendedAt: accounts.suspendedAt })
      .from(accounts)
      .where(and(eq(accounts.id, accountId), notDeleted))
      .for('share')
    if (!account) throw stepIsOver()
    if (account.suspendedAt) throw accountSuspended()
    if (!(await proves(tx))) return undefined
    // A change of the password ends the step meanwhile.
    const { rowCount } = await tx.delete(signInSteps).where(eq(signInSteps.digest, tokenDigest(token)))
    if (rowCount !== 1) throw stepIsOver()
    return openSignedIn(tx, accountId, origin)
  })
  if (session !== undefined) return session
  const details = { address: origin.address, factor: 'second' }
  const failed = { actor: accountId, action: 'session.sign_in_failed', accountId, details } as const
  await recordAction(database.system, failed)
  throw wrongCode()
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
