import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { confinedTo, type Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { ledger } from '../../db/schema/index.ts'
import { unknownCursor } from '../../errors.ts'

/** What usage can be grouped by. */
export const usageGroups = ['day', 'model', 'key', 'project'] as const
export type UsageGroup = (typeof usageGroups)[number]

export type UsageRow = {
  /** The group: a day (`2026-11-21`, UTC), a model, or the id of a key or project. */
  readonly group: string
  readonly turns: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: bigint
}

const facts = ledger.facts

/** `kind` in the facts of a charge for embeddings. Charges for turns have none. */
export const embeddingsKind = 'embeddings'

const groupings: Readonly<Record<UsageGroup, SQL<string>>> = {
  day: sql<string>`to_char(${ledger.createdAt} at time zone 'UTC', 'YYYY-MM-DD')`,
  model: sql<string>`coalesce(${facts}->>'model', '')`,
  key: sql<string>`coalesce(${facts}->>'key_id', '')`,
  project: sql<string>`coalesce(${facts}->>'project_id', '')`,
}

/**
 * Sums the account's charges from the ledger, so deleting a session changes nothing. A bound key sees only the
 * charges of its project. `from` and `to` are instants; `to` is exclusive.
 * @throws ServiceError `invalid_value` if `after` is not a group of this time.
 */
export async function readUsage(
  executor: Executor,
  principal: Principal,
  query: {
    readonly group: UsageGroup
    readonly from: Date
    readonly to: Date
    readonly limit: number
    readonly after?: string | undefined
  },
): Promise<readonly UsageRow[]> {
  const group = groupings[query.group]
  const project = confinedTo(principal)
  const filter = and(
    eq(ledger.accountId, principal.accountId),
    eq(ledger.kind, 'charge'),
    gte(ledger.createdAt, query.from),
    lt(ledger.createdAt, query.to),
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

async function requireGroup(executor: Executor, filter: SQL | undefined): Promise<void> {
  const [found] = await executor.select({ id: ledger.id }).from(ledger).where(filter).limit(1)
  if (!found) throw unknownCursor()
}
