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

type Wanted = {
  /** Words that the name contains, in upper or lower case; empty for all sessions. */
  readonly find: string
  /** Only sessions whose newest turn is older. */
  readonly before?: Date | undefined
  /** The session of the page, which is listed in place of its regenerated versions. */
  readonly current?: string | undefined
  readonly limit: number
}

/** The sessions with the newest turns first. Of the versions of a regenerated answer one is listed. */
export async function recentSessions(
  executor: Executor,
  principal: Principal,
  { find, before, current, limit }: Wanted,
): Promise<{ readonly items: readonly RecentSession[]; readonly hasMore: boolean }> {
  const conditions: (SQL | undefined)[] = [
    visibleTo(principal, sessions),
    find === '' ? undefined : ilike(sessions.name, `%${find.replace(/[\\%_]/g, '\\$&')}%`),
    before && lt(sessions.updatedAt, before),
    sql`(${sessions.id} = ${current ?? ''} or not ${isRegenerated(current ?? '')})`,
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

/**
 * Whether a newer session, or the current one, asks the same question at the same place of a conversation. A branch in
 * place of the first turn stands at the place of its parent.
 */
function isRegenerated(current: string): SQL {
  const { id, name, updatedAt } = sessions
  const isListed = sql`other.name = ${name}
    and (other.id = ${current} or (other.updated_at, other.id) > (${updatedAt}, ${id}))`
  return sql`(exists (
      select 1 from (values (1)) as one
        left join session_branches own on own.session_id = ${id}
        join session_branches beside on beside.parent_id = coalesce(own.parent_id, ${id})
          and beside.parent_turn = coalesce(own.parent_turn, 1)
        join sessions other on other.id = beside.session_id
      where other.id <> ${id} and ${isListed})
    or exists (
      select 1 from session_branches own join sessions other on other.id = own.parent_id
      where own.session_id = ${id} and own.parent_turn = 1 and ${isListed}))`
}
