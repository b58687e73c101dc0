import { and, asc, eq, or } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { sessionBranches, sessions } from '../../db/schema/index.ts'

/** A session that continues another one from before one of its turns. */
export type SessionBranch = typeof sessionBranches.$inferSelect

type NewBranch = Pick<SessionBranch, 'sessionId' | 'accountId' | 'parentId' | 'parentTurn'>

/**
 * Records that a new session continues `parent`, in place of its turn `turn`. In place of the first turn of a branch it
 * stands beside that branch: both replace the same turn. Repeated calls change nothing.
 */
export async function recordBranch(executor: Executor, branch: NewBranch): Promise<void> {
  const beside = branch.parentTurn === 1 ? await ownBranch(executor, branch.parentId) : undefined
  const { parentId, parentTurn } = beside ?? branch
  await executor
    .insert(sessionBranches)
    .values({ ...branch, parentId, parentTurn })
    .onConflictDoNothing()
}

/** A turn of a session. */
export type TurnPlace = { readonly sessionId: string; readonly turn: number }

/** The turns that ask something else at one place of a conversation, oldest first. */
export type Alternatives = {
  /** The turn of the shown session at which they differ. */
  readonly turn: number
  readonly places: readonly TurnPlace[]
}

/** What a session continues, and the alternatives to its turns. */
export type BranchPlace = {
  readonly parent: { readonly id: string; readonly name: string; readonly turn: number } | undefined
  readonly alternatives: readonly Alternatives[]
}

/** Reads where a session stands among the branches of its conversation. */
export async function branchPlace(executor: Executor, sessionId: string): Promise<BranchPlace> {
  const own = await ownBranch(executor, sessionId)
  const beside =
    own && and(eq(sessionBranches.parentId, own.parentId), eq(sessionBranches.parentTurn, own.parentTurn))
  const rows = await executor
    .select()
    .from(sessionBranches)
    .where(or(eq(sessionBranches.parentId, sessionId), beside))
    .orderBy(asc(sessionBranches.createdAt), asc(sessionBranches.sessionId))
  const parent = own && (await parentOf(executor, own))
  const siblings = rows.filter(({ parentId }) => parentId === own?.parentId)
  const original = parent ? [{ sessionId: parent.id, turn: parent.turn }] : []
  const children = Map.groupBy(
    rows.filter(({ parentId }) => parentId === sessionId),
    ({ parentTurn }) => parentTurn,
  )
  const fromHere = [...children].map(([turn, branches]) => ({
    turn,
    places: [{ sessionId, turn }, ...branches.map(firstTurn)],
  }))
  const here = own ? [{ turn: 1, places: [...original, ...siblings.map(firstTurn)] }] : []
  return { parent, alternatives: [...here, ...fromHere] }
}

async function ownBranch(executor: Executor, sessionId: string): Promise<SessionBranch | undefined> {
  const [own] = await executor.select().from(sessionBranches).where(eq(sessionBranches.sessionId, sessionId))
  return own
}

/** Undefined if the parent was deleted. */
async function parentOf(executor: Executor, { parentId, parentTurn }: SessionBranch) {
  const [parent] = await executor
    .select({ id: sessions.id, name: sessions.name })
    .from(sessions)
    .where(eq(sessions.id, parentId))
  return parent && { ...parent, turn: parentTurn }
}

/** A branch begins with the question that it asks instead. */
function firstTurn({ sessionId }: SessionBranch): TurnPlace {
  return { sessionId, turn: 1 }
}
