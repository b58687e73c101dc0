import { randomBytes } from 'node:crypto'
import { and, eq, isNull } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { accounts, sessions, sharedSessions } from '../../db/schema/index.ts'
import type { Session } from './sessions.ts'

/** A public link to a conversation. */
export type SharedSession = typeof sharedSessions.$inferSelect

/**
 * Creates the link of a session, or lets an existing link show the newest turns too. A link that was revoked never
 * works again: the next one has another token.
 */
export async function shareSession(executor: Executor, session: Session): Promise<SharedSession> {
  const [shared] = await executor
    .insert(sharedSessions)
    .values({
      sessionId: session.id,
      accountId: session.accountId,
      token: randomBytes(32).toString('base64url'),
      lastTurn: session.turnCount,
    })
    .onConflictDoUpdate({ target: sharedSessions.sessionId, set: { lastTurn: session.turnCount } })
    .returning()
  if (!shared) throw new Error('insert returned no row')
  return shared
}

/** Revokes the link of a session, if there is one. */
export async function unshareSession(executor: Executor, session: Session): Promise<void> {
  await executor.delete(sharedSessions).where(eq(sharedSessions.sessionId, session.id))
}

/** The link of a session. Undefined if it is not shared. */
export async function findShare(executor: Executor, sessionId: string): Promise<SharedSession | undefined> {
  const [shared] = await executor.select().from(sharedSessions).where(eq(sharedSessions.sessionId, sessionId))
  return shared
}

/**
 * Finds the session of a public link, with its last visible turn. Undefined for an unknown or revoked token, and
 * while the account is suspended.
 * @param executor must see all accounts: the visitor has none.
 */
export async function findSharedSession(
  executor: Executor,
  token: string,
): Promise<{ readonly session: Session; readonly lastTurn: number } | undefined> {
  if (!/^[\w-]{43}$/.test(token)) return undefined
  const [row] = await executor
    .select({ session: sessions, lastTurn: sharedSessions.lastTurn })
    .from(sharedSessions)
    .innerJoin(sessions, eq(sessions.id, sharedSessions.sessionId))
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(and(eq(sharedSessions.token, token), isNull(accounts.suspendedAt)))
  return row
}
