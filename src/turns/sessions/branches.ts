import { and, asc, eq, or } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { sessionBranches, sessions } from '../../db/schema/index.ts'

/** A session that continues another one from before one of its turns. */
export type SessionBranch = typeof sessionBranches.$inferSelect

/** Records that a new session continues `parent`, in place of its turn `turn`. Repeated calls change nothing. */
export async function recordBranch(
  executor: Executor,
  branch: Pick<SessionBranch, 'sessionId' | 'accountId' | 'parentId' | 'parentTurn'>,
): Promise<void> {
  await executor.insert(sessionBranches).values(branch).onConflictDoNothing()
}

/** The sessions that ask something else at one place of a conversation, oldest first. */
export type Alternatives = {
  /** The turn of the shown session at which they differ. */
  readonly turn: number
  readonly sessionIds: readonly string[]
}

/** What a session continues, and the alternatives to its turns. */
export type BranchPlace = {
  readonly parent: { readonly id: string; readonly name: string; readonly turn: number } | undefined
  readonly alternatives: readonly Alternatives[]
}

/** Reads where a session stands among the branches of its conversation. */
export async function branchPlace(executor: Executor, sessionId: string): Promise<BranchPlace> {
  const [own] = await executor.select().from(sessionBranches).where(eq(sessionBranches.sessionId, sessionId))
  const beside =
    own && and(eq(sessionBranches.parentId, own.parentId), eq(sessionBranches.parentTurn, own.parentTurn))
  const rows = await executor
    .select()
    .from(sessionBranches)
    .where(or(eq(sessionBranches.parentId, sessionId), beside))
    .orderBy(asc(sessionBranches.createdAt), asc(sessionBranches.sessionId))
  const [parent] = own
    ? await executor
        .select({ id: sessions.id, name: sessions.name })
        .from(sessions)
        .where(eq(sessions.id, own.parentId))
    : []
  const siblings = rows.filter(({ parentId }) => parentId === own?.parentId).map((branch) => branch.sessionId)
  const children = Map.groupBy(
    rows.filter(({ parentId }) => parentId === sessionId),
    ({ parentTurn }) => parentTurn,
  )
  const fromHere = [...children].map(([turn, branches]) => ({
    turn,
    sessionIds: [sessionId, ...branches.map((branch) => branch.sessionId)],
  }))
  const here = own ? [{ turn: 1, sessionIds: [...(parent ? [parent.id] : []), ...siblings] }] : []
  return {
    parent: own && parent && { ...parent, turn: own.parentTurn },
    alternatives: [...here, ...fromHere],
  }
}
