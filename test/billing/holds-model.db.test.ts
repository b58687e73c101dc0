import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { invariants } from '../../src/billing/checks/invariants.ts'
import { balanceOf, grantCredits } from '../../src/billing/pools.ts'
import { withTx } from '../../src/db/client.ts'
import { ServiceError } from '../../src/errors.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { extendHold, placeHold, settleHold } from '../support/holds.ts'
import { findViolations } from '../support/invariants.ts'
import { makeAccount } from '../support/world/accounts.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await createTestDatabase()
})
afterAll(() => db.drop())

type Command =
  | { readonly kind: 'grant'; readonly micros: bigint; readonly days: number | null }
  | { readonly kind: 'place'; readonly micros: bigint }
  | { readonly kind: 'extend'; readonly hold: number; readonly micros: bigint }
  | { readonly kind: 'settle'; readonly hold: number; readonly share: number; readonly free: boolean }

const micros = fc.bigInt({ min: 1n, max: 40n })
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    kind: fc.constant('grant' as const),
    micros,
    days: fc.option(fc.integer({ min: 1, max: 60 }), { nil: null }),
  }),
  fc.record({ kind: fc.constant('place' as const), micros }),
  fc.record({ kind: fc.constant('extend' as const), hold: fc.nat(9), micros }),
  fc.record({
    kind: fc.constant('settle' as const),
    hold: fc.nat(9),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    free: fc.boolean(),
  }),
)

/** What an account must have after the commands: plain sums, nothing of pools or expiry. */
class Model {
  available = 0n
  spent = 0n
  readonly open: { runId: string; micros: bigint; steps: number }[] = []

  get held(): bigint {
    return this.open.reduce((sum, hold) => sum + hold.micros, 0n)
  }
}

let runs = 0

async function apply(accountId: string, model: Model, next: Command): Promise<void> {
  const inTx = <T>(work: Parameters<typeof withTx<T>>[2]) => withTx(db.database, { accountId }, work)
  const refusedFor = async (wanted: bigint, work: () => Promise<void>): Promise<boolean> => {
    const refused = await work().then(
      () => false,
      (error: unknown) => {
        if (error instanceof ServiceError && error.code === 'insufficient_credits') return true
        throw error
      },
    )
    expect(refused, 'refused exactly when the account has less').toBe(wanted > model.available)
    if (!refused) model.available -= wanted
    return refused
  }
  switch (next.kind) {
    case 'grant': {
      const expiresAt = next.days === null ? null : new Date(Date.now() + next.days * 86_400_000)
      await inTx((tx) => grantCredits(tx, accountId, next.micros, expiresAt))
      model.available += next.micros
      return
    }
    case 'place': {
      runs += 1
      const hold = { runId: `run_model_${runs}`, micros: next.micros, steps: 0 }
      const place = () => inTx((tx) => placeHold(tx, { accountId, runId: hold.runId, micros: hold.micros }))
      if (!(await refusedFor(next.micros, place))) model.open.push(hold)
      return
    }
    case 'extend': {
      const hold = model.open[next.hold % Math.max(model.open.length, 1)]
      if (!hold) return
      const step = hold.steps + 1
      const extend = () =>
        inTx((tx) => extendHold(tx, { accountId, runId: hold.runId, micros: next.micros, step }))
      if (await refusedFor(next.micros, extend)) return
      hold.micros += next.micros
      hold.steps = step
      return
    }
    case 'settle': {
      const [hold] = model.open.splice(next.hold % Math.max(model.open.length, 1), 1)
      if (!hold) return
      const charge = next.free ? null : BigInt(Math.floor(Number(hold.micros) * next.share))
      await inTx((tx) => settleHold(tx, { accountId, runId: hold.runId, chargeMicros: charge }))
      model.available += hold.micros - (charge ?? 0n)
      model.spent += charge ?? 0n
    }
  }
}

/** Runs have no rows here: only the rules of the money are asked. */
const moneyRules = invariants.filter(
  ({ statement }) => !/\bruns r\b/.test(statement) && !/from runs\b/.test(statement),
)

test('pools equal a plain sum after any order of grants, holds and settlements', async () => {
  expect(moneyRules.length).toBeGreaterThanOrEqual(7)
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
      const { id: accountId } = await makeAccount(db.database)
      const model = new Model()
      for (const next of commands) {
        await apply(accountId, model, next)
        const balance = await withTx(db.database, { accountId }, (tx) => balanceOf(tx, accountId))
        expect(balance).toEqual({ availableMicros: model.available, heldMicros: model.held })
      }
      const spent = await db.database.system.execute<{ sum: string }>(
        `select coalesce(sum(amount_micros), 0)::text as sum from credit_entries where ledger = 'spent' and account_id = '${accountId}'`,
      )
      expect(BigInt(spent.rows[0]?.sum ?? 0)).toBe(model.spent)
      expect(await findViolations(db.database, moneyRules)).toEqual([])
    }),
    { numRuns: 25 },
  )
})

test('of fifty turns at once on money for ten, exactly ten are held and none half', async () => {
  const { id: accountId } = await makeAccount(db.database)
  await withTx(db.database, { accountId }, (tx) => grantCredits(tx, accountId, 105n))
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, i) =>
      withTx(db.database, { accountId }, (tx) =>
        placeHold(tx, { accountId, runId: `run_rush_${i}`, micros: 10n }),
      ),
    ),
  )
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(10)
  const balance = await withTx(db.database, { accountId }, (tx) => balanceOf(tx, accountId))
  expect(balance).toEqual({ availableMicros: 5n, heldMicros: 100n })
})
