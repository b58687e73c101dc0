import { createHash, randomBytes } from 'node:crypto'
import { and, eq, isNull, ne, not, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { accounts, webSessions } from '../../db/schema/index.ts'
import { type Account, accountColumns, notDeleted } from '../accounts.ts'

/** Days without a request after which a session ends, and days after which it ends in any case. */
export const sessionDays = Object.freeze({ idle: 14, whole: 60 })

/** Of a row that opens nothing any more. */
export const expiredSession = sql`(${webSessions.seenAt} <= now() - make_interval(days => ${sessionDays.idle})
  or ${webSessions.createdAt} <= now() - make_interval(days => ${sessionDays.whole}))`

/** Begins a session. @returns the token for the cookie: 256 random bits, of which only a digest is kept. */
export async function openWebSession(executor: Executor, accountId: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await executor.insert(webSessions).values({ digest: digestOf(token), accountId })
  return token
}

export type SignedIn = { readonly account: Account; readonly seenLately: boolean }

/** Who holds the token; undefined when the session is over or never was. */
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
        eq(webSessions.digest, digestOf(token)),
        not(expiredSession),
        isNull(accounts.suspendedAt),
        notDeleted,
      ),
    )
  if (!row) return undefined
  const { seenLately, ...account } = row
  return { account, seenLately }
}

/** Notes that the session is in use; asked for every five minutes at most. */
export async function touchWebSession(executor: Executor, token: string): Promise<void> {
  await executor
    .update(webSessions)
    .set({ seenAt: sql`now()` })
    .where(eq(webSessions.digest, digestOf(token)))
}

export async function closeWebSession(executor: Executor, token: string): Promise<void> {
  await executor.delete(webSessions).where(eq(webSessions.digest, digestOf(token)))
}

/** Ends every session of the account but the one of this token. @returns how many ended. */
export async function closeOtherWebSessions(
  executor: Executor,
  accountId: string,
  token: string,
): Promise<number> {
  const { rowCount } = await executor
    .delete(webSessions)
    .where(and(eq(webSessions.accountId, accountId), ne(webSessions.digest, digestOf(token))))
  return rowCount ?? 0
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
