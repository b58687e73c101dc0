import { and, eq, lt, type SQL, sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { runs, sessionBranches, sessions } from '../../db/schema/index.ts'
import { visibleTo } from '../run/visibility.ts'
import { familiesOf, type Member, type RecentSession } from './session-families.ts'

type Wanted = {
  readonly projectId?: string | undefined
  /** Words that the name of a version or branch contains, in upper or lower case; empty for all conversations. */
  readonly find?: string
  /** Only conversations whose newest turn is older. */
  readonly before?: Date | undefined
  /** The session of the page, which is listed in place of its other versions. */
  readonly current?: string | undefined
  readonly limit: number
}

/**
 * The conversations with the newest turns first. Of the versions of a question one is listed. A branch of a later turn
 * stands below its conversation.
 */
export async function recentSessions(
  executor: Executor,
  principal: Principal,
  { projectId, find = '', before, current, limit }: Wanted,
): Promise<{ readonly items: readonly RecentSession[]; readonly hasMore: boolean }> {
  const ordered = sql`select id, name, updated_at from ${sessions}
    where ${and(
      visibleTo(principal, sessions),
      projectId === undefined ? undefined : eq(sessions.projectId, projectId),
      before && lt(sessions.updatedAt, before),
    )} order by updated_at desc, id desc offset 0`
  // Without "offset 0" Postgres looks at the family of every session before it sorts them.
  const { rows: newest } = await executor.execute<{ id: string }>(sql`
    select s.id from (${ordered}) as s
    where not (${hasFamily} and ${familyHas(sql`(other.updated_at, other.id) > (s.updated_at, s.id)`)})
      and ${find === '' ? sql`true` : isNamed(find)}
    limit ${limit + 1}`)
  const ids = newest.slice(0, limit).map(({ id }) => id)
  const items = familiesOf(ids, await membersOf(executor, principal, ids), { current, find })
  return { items, hasMore: newest.length > limit }
}

/** The sessions of the families of these. */
function membersOf(
  executor: Executor,
  principal: Principal,
  ids: readonly string[],
): Promise<readonly Member[]> {
  const open = executor
    .select({ one: sql`1` })
    .from(runs)
    .where(and(eq(runs.sessionId, sessions.id), sql`${runs.status} in ('queued', 'in_progress')`))
  return executor
    .select({
      id: sessions.id,
      name: sessions.name,
      createdAt: sessions.createdAt,
      updatedAt: sessions.updatedAt,
      turnCount: sessions.turnCount,
      isAnswering: sql<boolean>`exists(${open})`,
      parentId: sessionBranches.parentId,
      parentTurn: sessionBranches.parentTurn,
    })
    .from(sessions)
    .leftJoin(sessionBranches, eq(sessionBranches.sessionId, sessions.id))
    .where(
      and(
        visibleTo(principal, sessions),
        // As an array, the families are read once. With "in", Postgres may read them again for each session.
        sql`${sessions.id} = any(array(select member.id from unnest(${sql.param([...ids])}::text[]) as listed (id)
          cross join lateral (${familyOf(sql`listed.id`)} select id from family) as member))`,
      ),
    )
}

/** Whether the name of a session `s`, or of another one of its family, has these words. */
function isNamed(find: string): SQL {
  const words = `%${find.replace(/[\\%_]/g, '\\$&')}%`
  return sql`(s.name ilike ${words} or ${hasFamily} and ${familyHas(sql`other.name ilike ${words}`)})`
}

/** Whether a session `s` has branches or is one. Most are neither, and this is fast. */
const hasFamily = sql`(exists (select 1 from ${sessionBranches} b where b.session_id = s.id)
  or exists (select 1 from ${sessionBranches} b where b.parent_id = s.id))`

/** Whether a session `other` in the family of `s` fulfils a condition. */
function familyHas(condition: SQL): SQL {
  return sql`exists (${familyOf(sql`s.id`)}
    select 1 from family where (select ${condition} from sessions other where other.id = family.id))`
}

/**
 * `with family (id)`: the session that begins the conversation of `id`, and all branches of it. The first one may have
 * been deleted. Postgres overestimates recursion: "offset 0" makes it use the indexes.
 */
function familyOf(id: SQL): SQL {
  return sql`with recursive up (id, steps) as (
      select ${id}, 0
      union all select b.parent_id, up.steps + 1 from up cross join lateral (
        select parent_id from session_branches where session_id = up.id offset 0) b),
    family (id) as (
      (select id from up order by steps desc limit 1)
      union select b.session_id from family cross join lateral (
        select session_id from session_branches where parent_id = family.id offset 0) b)`
}
