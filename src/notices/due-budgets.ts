import { type SQL, sql } from 'drizzle-orm'
import type { CapPeriod } from '../billing/key-spending.ts'
import type { Executor } from '../db/client.ts'
import type { WebhookEvent } from '../webhooks/endpoints.ts'

/** How owners are told: each way has its own record of what was told, so that one does not wait for the other. */
export type Way = 'mail' | 'webhook'

/** Joins `untold.ways` to the accounts `a`: the ways in which the owner is to be told and has not been told yet. */
export type Untold = (kind: string, event: WebhookEvent, about: SQL) => SQL

/** For the `where` of a query that joins `Untold`. */
export const isDue = sql`a.password_hash <> '' and a.suspended_at is null and cardinality(untold.ways) > 0`

/** A cap of a key or a budget of a project or an account, of which 80 % or all is spent. */
export type Budget = {
  readonly account: string
  readonly email: string
  readonly language: 'en' | 'he'
  readonly scope: 'key' | 'project' | 'account'
  /** Of the key, the project or the account. */
  readonly id: string
  /** Empty for the account. */
  readonly name: string
  readonly period: CapPeriod
  /** The highest that is reached. */
  readonly percent: 80 | 100
  readonly spentMicros: bigint
  readonly limitMicros: bigint
  /** Names the budget, its period and the percentage. */
  readonly about: string
  readonly ways: readonly Way[]
}

const today = sql`(now() at time zone 'UTC')::date`

/** Budgets whose owner is to be told. Charges count; holds of unfinished turns do not. */
export async function dueBudgets(
  executor: Executor,
  untold: Untold,
  atMost: number,
): Promise<readonly Budget[]> {
  type Row = Omit<Budget, 'spentMicros' | 'limitMicros'> & { spent: string; micros: string }
  const { rows } = await executor.execute<Row>(sql`
    with limits as (
      select k.account_id, 'key' as scope, k.id, k.name, p.period, p.micros from api_keys k
        cross join lateral (values ('day', k.day_cap_micros), ('month', k.month_cap_micros), ('total', k.total_cap_micros))
          as p (period, micros)
        where p.micros is not null and k.revoked_at is null
      union all
      select b.account_id, case b.project_id when '' then 'account' else 'project' end,
        case b.project_id when '' then b.account_id else b.project_id end, coalesce(p.name, ''), b.period, b.micros
        from budgets b left join projects p on p.id = b.project_id),
    begun as (
      select l.*, case l.period when 'day' then ${today} when 'month' then date_trunc('month', ${today})::date end as since
      from limits l),
    spent as (
      select b.*, coalesce(case b.scope
        when 'key' then (select sum(s.micros) from key_spending s where s.key_id = b.id and (b.since is null or s.day >= b.since))
        else (select -sum(l.allowance_micros + l.granted_micros) from ledger l
          where l.account_id = b.account_id and l.kind = 'charge' and (b.scope = 'account' or l.facts->>'project_id' = b.id)
            and (b.since is null or l.created_at >= b.since at time zone 'UTC'))
        end, 0) as spent
      from begun b),
    reached as (
      select s.*, case when s.spent >= s.micros then 100 else 80 end as percent from spent s where s.spent * 10 >= s.micros * 8),
    named as (select r.*, concat_ws(':', r.id, r.period, r.since, r.micros, r.percent) as about from reached r)
    select a.id as account, a.email, a.language, b.scope, b.id, b.name, b.period, b.percent, b.about, b.spent::text, b.micros::text,
      untold.ways
    from named b join accounts a on a.id = b.account_id ${untold('budget', 'budget.reached', sql`b.about`)}
    where ${isDue}
    limit ${atMost}`)
  return rows.map(({ spent, micros, ...row }) => ({
    ...row,
    spentMicros: BigInt(spent),
    limitMicros: BigInt(micros),
  }))
}
