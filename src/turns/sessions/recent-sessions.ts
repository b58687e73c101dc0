import { and, desc, eq, ilike, lt, type SQL, sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { runs, sessions } from '../../db/schema/index.ts'
import { visibleTo } from '../run/visibility.ts'

/** A session in the list of conversations. */
export type RecentSession = {
  readonly id: string
  readonly name: string
  /** When its newest turn began, or when it was renamed. */
  readonly updatedAt: Date
  /** Whether one of its turns is unfinished. */
  readonly isAnswering: boolean
}

/**
 * The sessions with the newest turns first.
 * @param find words that the name contains, in upper or lower case; empty for all sessions.
 * @param before only sessions whose newest turn is older.
 */
export async function recentSessions(
  executor: Executor,
  principal: Principal,
  {
    find,
    before,
    limit,
  }: { readonly find: string; readonly before?: Date | undefined; readonly limit: number },
): Promise<{ readonly items: readonly RecentSession[]; readonly hasMore: boolean }> {
  const conditions: (SQL | undefined)[] = [
    visibleTo(principal, sessions),
    find === '' ? undefined : ilike(sessions.name, `%${find.replace(/[\\%_]/g, '\\$&')}%`),
    before && lt(sessions.updatedAt, before),
  ]
  const open = executor
    .select({ one: sql`1` })
    .from(runs)
    .where(and(eq(runs.sessionId, sessions.id), sql`${runs.status} in ('queued', 'in_progress')`))
  const rows = await executor
    .select({
      id: sessions.id,
      name: sessions.name,
      updatedAt: sessions.updatedAt,
      isAnswering: sql<boolean>`exists(${open})`,
    })
    .from(sessions)
    .where(and(...conditions))
    .orderBy(desc(sessions.updatedAt), desc(sessions.id))
    .limit(limit + 1)
  return { items: rows.slice(0, limit), hasMore: rows.length > limit }
}
