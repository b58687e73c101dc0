import { and, desc, eq, isNull, ne, not, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Executor } from '../../db/client.ts'
import { accounts, type MemberRole, members, webSessions } from '../../db/schema/index.ts'
import { notFound } from '../../errors.ts'
import { type Account, accountColumns, accountColumnsOf, notDeleted } from '../accounts.ts'
import { recordAction } from '../audit.ts'
import { newToken, tokenDigest } from './token-digest.ts'

/** Days without a request until a session ends, and its maximum age in days. */
export const sessionDays = Object.freeze({ idle: 14, whole: 60 })

/** SQL condition: the session has expired. */
export const expiredSession = sql`(${webSessions.seenAt} <= now() - make_interval(days => ${sessionDays.idle})
  or ${webSessions.createdAt} <= now() - make_interval(days => ${sessionDays.whole}))`

/** Characters of a `User-Agent` that are stored: they name the browser and its system. */
const maxAgent = 300

/** The account that a session is for, and the browser that opens it. */
export type NewSession = {
  readonly accountId: string
  /** `User-Agent` of the browser. */
  readonly agent: string
}

/**
 * Opens a session.
 * @returns the token for the cookie: 256 random bits, of which only a digest is stored.
 */
export async function openWebSession(executor: Executor, { accountId, agent }: NewSession): Promise<string> {
  const { token, digest } = newToken()
  const shortened = agent.slice(0, maxAgent).toWellFormed()
  await executor.insert(webSessions).values({ digest, accountId, agent: shortened })
  return token
}

export type SignedIn = {
  /** The own account of the person. */
  readonly person: Account
  /** The account acted for. */
  readonly account: Account
  readonly role: MemberRole
  /** The session acts for an account that the person no longer has access to, so `account` is the own one. */
  readonly hasLostAccount: boolean
  readonly seenLately: boolean
}

const acted = alias(accounts, 'acted')

/**
 * Finds the person of a session token and the account that the person acts for. The membership is read each time, so a
 * removed member acts for the own account at once. Undefined if the session is unknown, closed or expired.
 */
export async function findWebSession(executor: Executor, token: string): Promise<SignedIn | undefined> {
  if (!/^[\w-]{43}$/.test(token)) return undefined
  const [row] = await executor
    .select({
      person: accountColumns,
      acted: accountColumnsOf(acted),
      role: members.role,
      actingFor: webSessions.actingFor,
      seenLately: sql<boolean>`${webSessions.seenAt} > now() - interval '5 minutes'`,
    })
    .from(webSessions)
    .innerJoin(accounts, eq(accounts.id, webSessions.accountId))
    .leftJoin(members, and(eq(members.accountId, webSessions.actingFor), eq(members.memberId, accounts.id)))
    .leftJoin(
      acted,
      and(eq(acted.id, members.accountId), isNull(acted.suspendedAt), ne(acted.passwordHash, '')),
    )
    .where(
      and(
        eq(webSessions.digest, tokenDigest(token)),
        not(expiredSession),
        isNull(accounts.suspendedAt),
        notDeleted,
      ),
    )
  if (!row) return undefined
  const { person, seenLately } = row
  const member = row.acted && row.role ? { account: row.acted, role: row.role } : undefined
  const hasLostAccount = row.actingFor !== null && !member
  return { person, seenLately, hasLostAccount, ...(member ?? { account: person, role: 'owner' }) }
}

/** Records that the session is in use. Callers do this at most every five minutes. */
export async function touchWebSession(executor: Executor, token: string): Promise<void> {
  await executor
    .update(webSessions)
    .set({ seenAt: sql`now()` })
    .where(eq(webSessions.digest, tokenDigest(token)))
}

export async function closeWebSession(executor: Executor, token: string): Promise<void> {
  await executor.delete(webSessions).where(eq(webSessions.digest, tokenDigest(token)))
}

/**
 * Ends every session of the account except that of this token.
 * @returns the number of ended sessions.
 */
export async function closeOtherWebSessions(
  executor: Executor,
  accountId: string,
  token: string,
): Promise<number> {
  const { rowCount } = await executor
    .delete(webSessions)
    .where(and(eq(webSessions.accountId, accountId), ne(webSessions.digest, tokenDigest(token))))
  return rowCount ?? 0
}

/** Minutes for which a session shows that its holder has signed in just now. */
export const freshMinutes = 10

/** Whether a session of the account was opened in the last `freshMinutes`. */
export async function isFreshSession(executor: Executor, accountId: string, token: string): Promise<boolean> {
  const [row] = await executor
    .select({ digest: webSessions.digest })
    .from(webSessions)
    .where(
      and(
        eq(webSessions.digest, tokenDigest(token)),
        eq(webSessions.accountId, accountId),
        sql`${webSessions.createdAt} > now() - make_interval(mins => ${freshMinutes})`,
      ),
    )
  return row !== undefined
}

/** A session as its owner sees it. */
export type ListedSession = {
  /** The digest of its token, which gives no access. */
  readonly id: string
  readonly agent: string
  readonly createdAt: Date
  /** Exact to five minutes. */
  readonly seenAt: Date
  /** The session of the token that asks. */
  readonly isCurrent: boolean
}

/** The sessions of an account that have not expired, the one used last first. At most 100. */
export async function listWebSessions(
  executor: Executor,
  accountId: string,
  token: string,
): Promise<readonly ListedSession[]> {
  const rows = await executor
    .select()
    .from(webSessions)
    .where(and(eq(webSessions.accountId, accountId), not(expiredSession)))
    .orderBy(desc(webSessions.seenAt))
    .limit(100)
  const current = tokenDigest(token)
  return rows.map(({ digest, agent, createdAt, seenAt }) => ({
    ...{ id: digest.toString('base64url'), agent, createdAt, seenAt },
    isCurrent: digest.equals(current),
  }))
}

/**
 * Ends one session of an account.
 * @param executor one transaction.
 * @throws ServiceError `not_found` if the account has no such session.
 */
export async function endWebSession(executor: Executor, accountId: string, id: string): Promise<void> {
  const digest = Buffer.from(id, 'base64url')
  const { rowCount } = await executor
    .delete(webSessions)
    .where(and(eq(webSessions.digest, digest), eq(webSessions.accountId, accountId)))
  if (rowCount !== 1) throw notFound()
  await recordAction(executor, { actor: accountId, action: 'session.ended', accountId })
}

/**
 * Ends every session of an account.
 * @param executor one transaction.
 */
export async function endAllWebSessions(executor: Executor, accountId: string): Promise<void> {
  const { rowCount } = await executor.delete(webSessions).where(eq(webSessions.accountId, accountId))
  const details = { sessions: rowCount ?? 0 }
  await recordAction(executor, { actor: accountId, action: 'session.all_ended', accountId, details })
}
