import { and, eq, isNull } from 'drizzle-orm'
import type { Peppers } from '../../accounts/keys/pepper.ts'
import { linkDigest, linkToken, newLink } from '../../accounts/public-links/link-token.ts'
import type { Executor } from '../../db/client.ts'
import { accounts, sessions, sharedSessions } from '../../db/schema/index.ts'
import type { Session } from './sessions.ts'

/** A public link to a conversation, for its owner. */
export type SharedSession = {
  /** The last turn that the link shows. */
  readonly lastTurn: number
  /** Undefined if the address cannot be shown again. */
  readonly token: string | undefined
}

/**
 * Creates the link of a session, or lets an existing link show the newest turns and name too. A link that was revoked never
 * works again: the next one has another token.
 */
export async function shareSession(executor: Executor, peppers: Peppers, session: Session): Promise<void> {
  const { digest, seed } = newLink(peppers)
  await executor
    .insert(sharedSessions)
    .values({
      sessionId: session.id,
      accountId: session.accountId,
      tokenDigest: digest,
      tokenSeed: seed,
      lastTurn: session.turnCount,
      name: session.name,
    })
    .onConflictDoUpdate({
      target: sharedSessions.sessionId,
      set: { lastTurn: session.turnCount, name: session.name },
    })
}

/** Revokes the link of a session, if there is one. */
export async function unshareSession(executor: Executor, session: Session): Promise<void> {
  await executor.delete(sharedSessions).where(eq(sharedSessions.sessionId, session.id))
}

/** The link of a session. Undefined if it is not shared. */
export async function findShare(
  executor: Executor,
  peppers: Peppers,
  sessionId: string,
): Promise<SharedSession | undefined> {
  const [shared] = await executor.select().from(sharedSessions).where(eq(sharedSessions.sessionId, sessionId))
  if (!shared) return undefined
  const { tokenDigest: digest, tokenSeed: seed, lastTurn } = shared
  return { lastTurn, token: linkToken(peppers, { digest, seed }) }
}

/**
 * Finds the session of a public link with the name that was shared, and its last visible turn. Undefined for an unknown or revoked token, and
 * while the account is suspended.
 * @param executor must see all accounts: the visitor has none.
 */
export async function findSharedSession(
  executor: Executor,
  token: string,
): Promise<{ readonly session: Session; readonly lastTurn: number } | undefined> {
  const digest = linkDigest(token)
  if (!digest) return undefined
  const [row] = await executor
    .select({ session: sessions, lastTurn: sharedSessions.lastTurn, name: sharedSessions.name })
    .from(sharedSessions)
    .innerJoin(sessions, eq(sessions.id, sharedSessions.sessionId))
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(and(eq(sharedSessions.tokenDigest, digest), isNull(accounts.suspendedAt)))
  return row && { session: { ...row.session, name: row.name }, lastTurn: row.lastTurn }
}
