import { randomBytes } from 'node:crypto'
import { and, eq, isNull, ne, not, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { accounts, webSessions } from '../../db/schema/index.ts'
import { type Account, accountColumns, notDeleted } from '../accounts.ts'
import { tokenDigest } from './token-digest.ts'

/** Days without a request until a session ends, and its maximum age in days. */
export const sessionDays = Object.freeze({ idle: 14, whole: 60 })

/** SQL condition: the session has expired. */
export const expiredSession = sql`(${webSessions.seenAt} <= now() - make_interval(days => ${sessionDays.idle})
  or ${webSessions.createdAt} <= now() - make_interval(days => ${sessionDays.whole}))`

/**
 * Opens a session.
 * @returns the token for the cookie: 256 random bits, of which only a digest is stored.
 */
export async function openWebSession(executor: Executor, accountId: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await executor.insert(webSessions).values({ digest: tokenDigest(token), accountId })
  return token
}

export type SignedIn = { readonly account: Account; readonly seenLately: boolean }

/** Finds the account of a session token. Undefined if the session is unknown, closed or expired. */
export async function findWebSession(executor: Executor, token: string): Promise<SignedIn | undefined> {
  if (!/^[\w-]{43}$/.test(token)) return undefined
  const [row] = await executor
    .select({
      ...accountColumns,
      seenLately: sql<boolean>`${webSessions.seenAt} > now() - interval '5 minutes'`,
    })
    .from(webSessions)
    .innerJoin(accounts, eq(accounts.id, webSessions.accountId))
    .where(
      and(
        eq(webSessions.digest, tokenDigest(token)),
        not(expiredSession),
        isNull(accounts.suspendedAt),
        notDeleted,
      ),
    )
  if (!row) return undefined
  const { seenLately, ...account } = row
  return { account, seenLately }
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
