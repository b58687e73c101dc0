import { eq, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { apiKeys, type budgetPeriods } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { creditsText } from './credits.ts'

/** The spans of spending caps: a day and a calendar month (UTC), and the life of the key. */
export type CapPeriod = (typeof budgetPeriods)[number]

/** What an API key has spent so far, and what its unfinished runs hold, in micro-credits. */
export type KeySpending = Readonly<Record<CapPeriod, bigint>> & { readonly held: bigint }

type Key = { readonly accountId: string; readonly keyId: string }

/** Reads what a key has spent, by the database's clock, on the day and in the month (UTC) and in all, and what it holds. */
export async function readKeySpending(executor: Executor, { accountId, keyId }: Key): Promise<KeySpending> {
  const today = sql`(now() at time zone 'UTC')::date`
  const { rows } = await executor.execute<Readonly<Record<keyof KeySpending, string>>>(sql`
    select coalesce(sum(s.micros) filter (where s.day = ${today}), 0) as day,
      coalesce(sum(s.micros) filter (where s.day >= date_trunc('month', ${today})::date), 0) as month,
      coalesce(sum(s.micros), 0) as total,
      -- The account's open runs are few. An index of all runs of a key would find finished ones.
      (select coalesce(sum(r.hold_micros), 0) from runs r
        where r.account_id = ${accountId} and r.status in ('queued', 'in_progress') and r.api_key_id || '' = ${keyId}) as held
    from key_spending s where s.key_id = ${keyId}`)
  const { day = 0, month = 0, total = 0, held = 0 } = rows[0] ?? {}
  return { day: BigInt(day), month: BigInt(month), total: BigInt(total), held: BigInt(held) }
}

/** A spending cap, and what it leaves, in micro-credits. `roomMicros` is below zero if the cap was lowered. */
export type ReachedCap = {
  readonly period: CapPeriod
  readonly capMicros: bigint
  readonly roomMicros: bigint
}

/**
 * The cap of a key that does not allow `micros` more. Undefined if all of them do. If several refuse, it is the one that
 * refuses longest. It holds only while the account's row is locked.
 */
export async function findReachedCap(
  executor: Executor,
  { accountId, keyId, micros }: Key & { readonly micros: bigint },
): Promise<ReachedCap | undefined> {
  const [caps] = await executor
    .select({ total: apiKeys.totalCapMicros, month: apiKeys.monthCapMicros, day: apiKeys.dayCapMicros })
    .from(apiKeys)
    .where(eq(apiKeys.id, keyId))
  if (!caps || (caps.total ?? caps.month ?? caps.day) === null) return undefined
  const spent = await readKeySpending(executor, { accountId, keyId })
  for (const period of ['total', 'month', 'day'] as const) {
    const capMicros = caps[period]
    if (capMicros === null) continue
    const roomMicros = capMicros - spent[period] - spent.held
    if (roomMicros < micros) return { period, capMicros, roomMicros }
  }
  return undefined
}

/** When the spending of a period starts at zero again. Null for the life of the key. */
export function capReset(period: CapPeriod, now: Date): Date | null {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  if (period === 'total') return null
  return new Date(period === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1))
}

/** Names a cap: `the cap of 10 credits per day`. */
export function capName({ period, capMicros }: ReachedCap): string {
  const per = period === 'total' ? 'in all' : `per ${period}`
  return `the cap of ${creditsText(capMicros)} credits ${per}`
}

/**
 * The error for a key whose cap leaves less than the hold of a turn.
 * @param now the database's time.
 * @param need the beginning of the message, for work that is no turn.
 */
export function keyCapReached(
  cap: ReachedCap,
  micros: bigint,
  now: Date,
  need = 'The turn needs a hold of',
): ServiceError {
  const left = creditsText(cap.roomMicros > 0n ? cap.roomMicros : 0n)
  const reset = capReset(cap.period, now)?.toISOString().slice(0, 10)
  const remedy = reset === undefined ? 'Raise the cap' : `Wait until ${reset} (UTC), or raise the cap`
  return new ServiceError(
    'key_cap_reached',
    `${need} ${creditsText(micros)} credits, but ${capName(cap)} of this API key leaves ${left}. ${remedy} on the page API keys.`,
  )
}
