import { and, eq, exists, inArray, sql } from 'drizzle-orm'
import type { Plan } from '../accounts/plans.ts'
import type { Executor } from '../db/client.ts'
import { accounts, ledger } from '../db/schema/index.ts'

/**
 * The credits of an account, in micro-credits. The account's row has them; each change writes a row of the ledger in the
 * same statement or transaction. Holds of turns move credits within the row and write none.
 */
export type AccountCredits = {
  /** What is left of the month's allowance, which is spent first. */
  readonly allowanceMicros: bigint
  /** What is left of granted credits. */
  readonly grantedMicros: bigint
  /** What unfinished turns hold. */
  readonly heldMicros: bigint
}

/** The first day of the calendar month (UTC), by the database's clock. */
const thisMonth = sql`date_trunc('month', now() at time zone 'UTC')::date`

/** Whether the allowance in the row is that of an earlier month. */
const isOld = sql`(${accounts.allowanceMonth} is null or ${accounts.allowanceMonth} < ${thisMonth})`

/**
 * Gives this calendar month's allowance (UTC, by the database's clock), unless it was given. What was left of the one
 * before expires. Nothing happens if the account has changed to another plan: a request may know only the former one.
 */
export async function ensureAllowance(executor: Executor, accountId: string, plan: Plan): Promise<void> {
  const monthly = plan.monthlyMicros
  await executor.execute(sql`
    with a as materialized (
      select id, allowance_micros from ${accounts}
      where ${accounts.id} = ${accountId} and ${accounts.plan} = ${plan.name} and ${isOld} and (${monthly}::bigint > 0 or ${accounts.allowanceMicros} > 0)
      for no key update),
    given as (
      update accounts set allowance_month = ${thisMonth}, allowance_micros = ${monthly}::bigint from a where accounts.id = a.id)
    insert into ${ledger} (account_id, kind, allowance_micros, granted_micros)
    select id, 'expire', -allowance_micros, 0 from a where allowance_micros > 0
    union all select id, 'allowance', ${monthly}::bigint, 0 from a where ${monthly}::bigint > 0`)
}

/** Micro-credits that the account could spend: with the allowance that its next turn gives it. */
export async function spendableOf(executor: Executor, accountId: string, plan: Plan): Promise<bigint> {
  const [row] = await executor
    .select({
      micros: sql<string>`${accounts.grantedMicros}
        + case when ${isOld} then ${plan.monthlyMicros}::bigint else ${accounts.allowanceMicros} end`,
    })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  return BigInt(row?.micros ?? 0)
}

/** Changes an account's credits and records that. Both amounts have the sign that the kind of change has. */
async function change(
  executor: Executor,
  entry: Pick<
    typeof ledger.$inferInsert,
    'accountId' | 'kind' | 'allowanceMicros' | 'grantedMicros' | 'facts'
  >,
): Promise<void> {
  const { accountId, allowanceMicros, grantedMicros } = entry
  await executor
    .update(accounts)
    .set({
      allowanceMicros: sql`${accounts.allowanceMicros} + ${allowanceMicros}`,
      grantedMicros: sql`${accounts.grantedMicros} + ${grantedMicros}`,
    })
    .where(eq(accounts.id, accountId))
  await executor.insert(ledger).values(entry)
}

/**
 * Grants credits outside the plan. They do not expire.
 * @param micros more than zero.
 */
export function grantCredits(executor: Executor, accountId: string, micros: bigint): Promise<void> {
  return change(executor, { accountId, kind: 'grant', allowanceMicros: 0n, grantedMicros: micros })
}

/**
 * Raises this month's allowance to that of a higher plan: adds what the month has not given yet. If it has given none, the
 * new plan's is given later. A lower plan takes nothing back before the month ends. The account's row must be locked.
 */
export async function raiseAllowance(executor: Executor, accountId: string, to: Plan): Promise<void> {
  const [month] = await executor
    .select({
      given: sql<string>`(select coalesce(sum(l.allowance_micros), 0) from ${ledger} l
        where l.account_id = ${accountId} and l.allowance_micros > 0
          and l.created_at >= allowance_month::timestamp at time zone 'UTC')`,
    })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), sql`not ${isOld}`))
  const more = month ? to.monthlyMicros - BigInt(month.given) : 0n
  if (more > 0n)
    await change(executor, { accountId, kind: 'allowance', allowanceMicros: more, grantedMicros: 0n })
}

/**
 * Charges an account for work that is no turn: the allowance first. The account's row must be locked, and have that much.
 * @param keyId the API key that has spent it.
 */
export async function chargeAccount(
  executor: Executor,
  charge: {
    readonly accountId: string
    readonly keyId: string | null
    readonly micros: bigint
    readonly facts: Readonly<Record<string, unknown>>
  },
): Promise<void> {
  const { accountId, keyId, micros, facts } = charge
  const { allowanceMicros: allowance } = await creditsOf(executor, accountId)
  const fromAllowance = allowance < micros ? allowance : micros
  await change(executor, {
    ...{ accountId, kind: 'charge', facts },
    ...{ allowanceMicros: -fromAllowance, grantedMicros: fromAllowance - micros },
  })
  if (keyId === null) return
  await executor.execute(sql`
    insert into key_spending as s (key_id, account_id, day, micros)
    values (${keyId}, ${accountId}, (now() at time zone 'UTC')::date, ${micros})
    on conflict (key_id, day) do update set micros = s.micros + excluded.micros`)
}

/**
 * Takes credits back: granted ones first, in the reverse order of spending. The account's row must be locked, and have that
 * much.
 */
export async function takeBack(executor: Executor, accountId: string, micros: bigint): Promise<void> {
  const { grantedMicros: granted } = await creditsOf(executor, accountId)
  const fromGranted = granted < micros ? granted : micros
  await change(executor, {
    ...{ accountId, kind: 'take_back' },
    ...{ allowanceMicros: fromGranted - micros, grantedMicros: -fromGranted },
  })
}

/** Reads what an account has. An allowance of an earlier month no longer counts. */
export async function creditsOf(executor: Executor, accountId: string): Promise<AccountCredits> {
  const [row] = await executor
    .select({
      allowanceMicros: sql<string>`case when ${isOld} then 0 else ${accounts.allowanceMicros} end`,
      grantedMicros: accounts.grantedMicros,
      heldMicros: accounts.heldMicros,
    })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  return {
    allowanceMicros: BigInt(row?.allowanceMicros ?? 0),
    grantedMicros: row?.grantedMicros ?? 0n,
    heldMicros: row?.heldMicros ?? 0n,
  }
}

export const availableIn = ({ allowanceMicros, grantedMicros }: AccountCredits): bigint =>
  allowanceMicros + grantedMicros

/** Available micro-credits by account. An account that never had credits is missing. */
export async function availableOf(
  executor: Executor,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  if (accountIds.length === 0) return new Map()
  const rows = await executor
    .select({
      id: accounts.id,
      micros: sql<string>`${accounts.grantedMicros} + case when ${isOld} then 0 else ${accounts.allowanceMicros} end`,
    })
    .from(accounts)
    .where(
      and(
        inArray(accounts.id, [...accountIds]),
        exists(executor.select({ id: ledger.id }).from(ledger).where(eq(ledger.accountId, accounts.id))),
      ),
    )
  return new Map(rows.map(({ id, micros }) => [id, BigInt(micros)]))
}

/** The first instant of the next month (UTC), by the database's clock: when the next allowance is given. */
export async function nextRenewal(executor: Executor): Promise<Date> {
  const { rows } = await executor.execute<{ at: Date }>(
    sql`select date_trunc('month', now(), 'UTC') + interval '1 month' as at`,
  )
  return new Date(rows[0]?.at ?? 0)
}
