import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import { creditsText } from './credits.ts'

/** The spans of spending caps: a day and a calendar month (UTC), and the life of the key. */
export type CapPeriod = 'day' | 'month' | 'total'

/** What an API key has spent so far, and what its unfinished runs hold, in micro-credits. */
export type KeySpending = Readonly<Record<CapPeriod, bigint>> & { readonly held: bigint }

type Key = { readonly accountId: string; readonly keyId: string }

/** Reads what a key has spent, by the database's clock. */
export async function readKeySpending(executor: Executor, { accountId, keyId }: Key): Promise<KeySpending> {
  const { rows } = await executor.execute<{ day: string; month: string; total: string; held: string }>(
    sql`select day, month, total, held from key_spent(${accountId}, ${keyId}, now())`,
  )
  const [row] = rows
  const micros = (text: string | undefined) => BigInt(text ?? 0)
  return {
    day: micros(row?.day),
    month: micros(row?.month),
    total: micros(row?.total),
    held: micros(row?.held),
  }
}

/** A spending cap, and what it leaves, in micro-credits. `roomMicros` is below zero if the cap was lowered. */
export type ReachedCap = {
  readonly period: CapPeriod
  readonly capMicros: bigint
  readonly roomMicros: bigint
}

const periods: Readonly<Record<string, CapPeriod>> = {
  key_day_cap: 'day',
  key_month_cap: 'month',
  key_total_cap: 'total',
}

/** The cap of a key that does not allow `micros` more. Undefined if all of them do. */
export async function findReachedCap(
  executor: Executor,
  { accountId, keyId, micros }: Key & { readonly micros: bigint },
): Promise<ReachedCap | undefined> {
  const { rows } = await executor.execute<{ refusal: string | null; cap: string; room: string }>(
    sql`select refusal, cap, room from key_cap(${accountId}, ${keyId}, ${micros}, now())`,
  )
  const [row] = rows
  const period = row?.refusal ? periods[row.refusal] : undefined
  return row && period && { period, capMicros: BigInt(row.cap), roomMicros: BigInt(row.room) }
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
