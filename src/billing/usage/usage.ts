import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { confinedTo, type Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { ledger } from '../../db/schema/index.ts'
import { unknownCursor } from '../../errors.ts'
import type { Span } from './usage-span.ts'

/** What usage can be grouped by. */
export const usageGroups = ['day', 'model', 'key', 'project', 'member'] as const
export type UsageGroup = (typeof usageGroups)[number]

export type UsageRow = {
  /** The group: a day (`2026-11-21`, UTC), a model, or the id of a key, project or member. */
  readonly group: string
  readonly turns: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: bigint
}

export const facts = ledger.facts

/** The charges of an account in a span. */
export const chargesIn = (accountId: string, { from, to }: Span): SQL | undefined =>
  and(
    eq(ledger.accountId, accountId),
    eq(ledger.kind, 'charge'),
    gte(ledger.createdAt, from),
    lt(ledger.createdAt, to),
  )

/** `kind` in the facts of a charge for embeddings. Charges for turns have none. */
export const embeddingsKind = 'embeddings'

const groupings: Readonly<Record<UsageGroup, SQL<string>>> = {
  day: sql<string>`to_char(${ledger.createdAt} at time zone 'UTC', 'YYYY-MM-DD')`,
  model: sql<string>`coalesce(${facts}->>'model', '')`,
  key: sql<string>`coalesce(${facts}->>'key_id', '')`,
  project: sql<string>`coalesce(${facts}->>'project_id', '')`,
  member: sql<string>`coalesce(${facts}->>'member_id', '')`,
}

/**
 * Sums the account's charges from the ledger, so deleting a session changes nothing. A bound key sees only the
 * charges of its project.
 * @throws ServiceError `invalid_value` if `after` is not a group of this time.
 */
export async function readUsage(
  executor: Executor,
  principal: Principal,
  query: Span & {
    readonly group: UsageGroup
    readonly limit: number
    readonly after?: string | undefined
  },
): Promise<readonly UsageRow[]> {
  const group = groupings[query.group]
  const project = confinedTo(principal)
  const filter = and(
    chargesIn(principal.accountId, query),
    project === null ? undefined : sql`${facts}->>'project_id' = ${project}`,
  )
  if (query.after !== undefined) await requireGroup(executor, and(filter, sql`${group} = ${query.after}`))
  const tokens = (name: string) => sql<string>`coalesce(sum((${facts}->>${name})::bigint), 0)`
  const rows = await executor
    .select({
      group,
      // Embeddings are charges without a turn.
      turns: sql<number>`(count(*) filter (where ${facts}->>'kind' is distinct from ${embeddingsKind}))::int`,
      promptTokens: tokens('prompt_tokens'),
      completionTokens: tokens('completion_tokens'),
      cost: sql<string>`-sum(${ledger.allowanceMicros} + ${ledger.grantedMicros})`,
    })
    .from(ledger)
    .where(and(filter, query.after === undefined ? undefined : sql`${group} > ${query.after}`))
    .groupBy(sql`1`)
    .orderBy(sql`1`)
    .limit(query.limit)
  return rows.map((row) => ({
    group: row.group,
    turns: row.turns,
    promptTokens: Number(row.promptTokens),
    completionTokens: Number(row.completionTokens),
    costMicros: BigInt(row.cost),
  }))
}

/** What an account has spent since a time, and when it was last charged, by its id. Accounts without charges are left out. */
export async function readActivity(
  executor: Executor,
  accountIds: readonly string[],
  since: Date,
): Promise<ReadonlyMap<string, { readonly spentMicros: bigint; readonly lastAt: Date }>> {
  const { rows } = await executor.execute<{ id: string; spent: string; last_at: Date | string }>(sql`
    select a.id, coalesce(s.spent, 0) as spent, l.created_at as last_at
    from unnest(${sql.param([...accountIds])}::text[]) as a(id)
    cross join lateral (select c.created_at from ledger c where c.account_id = a.id and c.kind = 'charge'
      order by c.created_at desc limit 1) l
    cross join lateral (select -sum(c.allowance_micros + c.granted_micros) as spent from ledger c
      where c.account_id = a.id and c.kind = 'charge' and c.created_at >= ${since.toISOString()}::timestamptz) s`)
  return new Map(
    rows.map(({ id, spent, last_at }) => [id, { spentMicros: BigInt(spent), lastAt: new Date(last_at) }]),
  )
}

async function requireGroup(executor: Executor, filter: SQL | undefined): Promise<void> {
  const [found] = await executor.select({ id: ledger.id }).from(ledger).where(filter).limit(1)
  if (!found) throw unknownCursor()
}
