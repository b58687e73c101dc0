import { and, eq, gt, sql } from 'drizzle-orm'
import { lockAccount } from '../accounts/accounts.ts'
import { type Actor, newestAuditEntry, recordAction } from '../accounts/audit.ts'
import type { Executor } from '../db/client.ts'
import { creditPools } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { creditsText } from './credits.ts'
import { type Part, recordMovement } from './ledger.ts'
import { notExpired } from './pools.ts'

export type TakeBack = {
  readonly actor: Actor
  readonly accountId: string
  /** More than zero, or `all` available credits. */
  readonly micros: bigint | 'all'
  /** Newest audit entry when the form was opened. A form that is sent twice takes credits once. */
  readonly seen?: string
}

/**
 * Takes available credits back, in the reverse order of spending: credits that never expire first, then those
 * with the latest expiry. Held credits stay with their runs.
 * @returns the amount taken, in micro-credits.
 * @throws ServiceError `not_found`; `invalid_value` if less is available. Nothing is taken then.
 */
export async function takeCreditsBack(
  executor: Executor,
  { actor, accountId, micros, seen }: TakeBack,
): Promise<bigint> {
  await lockAccount(executor, accountId)
  if (seen !== undefined && (await newestAuditEntry(executor, accountId)) !== seen) {
    throw new ServiceError(
      'invalid_value',
      'The account changed after this form was opened. Check its pools, and send the form again if more should be taken back.',
    )
  }
  const pools = await lockPools(executor, accountId)
  const available = pools.reduce((sum, pool) => sum + pool.micros, 0n)
  const wanted = micros === 'all' ? available : micros
  if (wanted > available || wanted === 0n) {
    throw new ServiceError(
      'invalid_value',
      `The account has ${creditsText(available)} credits available, so nothing was taken back. Give a smaller amount, or "all".`,
      { param: 'amount' },
    )
  }
  const parts = partsOf(pools, wanted)
  const movement = { accountId, runId: null, kind: 'take_back', from: 'available', to: 'issued' } as const
  await recordMovement(executor, { ...movement, parts })
  const details = { credits: creditsText(wanted) }
  await recordAction(executor, { actor, action: 'credits.taken_back', accountId, details })
  return wanted
}

type Available = Part & { readonly expiresAt: Date | null }

/** Every function locks pools in the order of their ids. */
function lockPools(executor: Executor, accountId: string): Promise<Available[]> {
  return executor
    .select({ poolId: creditPools.id, micros: creditPools.availableMicros, expiresAt: creditPools.expiresAt })
    .from(creditPools)
    .where(and(eq(creditPools.accountId, accountId), notExpired, gt(creditPools.availableMicros, 0n)))
    .orderBy(sql`${creditPools.id}`)
    .for('update')
}

function partsOf(pools: readonly Available[], wanted: bigint): readonly Part[] {
  const parts: Part[] = []
  let left = wanted
  for (const { poolId, micros } of pools.toSorted(lastSpentFirst)) {
    if (left === 0n) break
    const taken = micros < left ? micros : left
    parts.push({ poolId, micros: taken })
    left -= taken
  }
  return parts
}

function lastSpentFirst(a: Available, b: Available): number {
  const [first, second] = [a, b].map(({ expiresAt }) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY)
  if (first !== second) return (second ?? 0) > (first ?? 0) ? 1 : -1
  return b.poolId > a.poolId ? 1 : -1
}
