import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandLine } from '../../src/accounts/audit.ts'
import { creditsOf, ensureAllowance, grantCredits } from '../../src/billing/account-credits.ts'
import { takeCreditsBack } from '../../src/billing/take-back.ts'
import { withTx } from '../../src/db/client.ts'
import { ServiceError } from '../../src/errors.ts'
import type { Run } from '../../src/turns/run/run.ts'
import { useDatabase } from '../support/database.ts'
import { extendHold, placeHold, settleHold } from '../support/holds.ts'
import { checkInvariants } from '../support/invariants.ts'
import { type Caller, makeCaller } from '../support/turns/caller.ts'

const db = useDatabase()

type Command =
  | { readonly kind: 'grant' | 'place' | 'takeBack'; readonly micros: bigint }
  | { readonly kind: 'extend'; readonly hold: number; readonly micros: bigint }
  | { readonly kind: 'settle'; readonly hold: number; readonly quarters: number; readonly free: boolean }
  | { readonly kind: 'nextMonth' }

const micros = fc.bigInt({ min: 1n, max: 40n })
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: fc.constantFrom('grant' as const, 'place' as const, 'takeBack' as const), micros }),
  fc.record({ kind: fc.constant('place' as const), micros }),
  fc.record({ kind: fc.constant('extend' as const), hold: fc.nat(9), micros }),
  fc.record({
    kind: fc.constant('settle' as const),
    hold: fc.nat(9),
    quarters: fc.nat(4),
    free: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('nextMonth' as const) }),
)

const monthly = 60n
const limits = { monthlyMicros: monthly, turnsPerMinute: 100_000, concurrentTurns: 1_000 }

type OpenHold = { readonly run: Run; micros: bigint; allowance: bigint }

/** What an account must have after the commands, in plain sums. */
class Model {
  allowance = monthly
  granted = 0n
  spent = 0n
  readonly open: OpenHold[] = []

  get available(): bigint {
    return this.allowance + this.granted
  }

  get credits() {
    const heldMicros = this.open.reduce((sum, hold) => sum + hold.micros, 0n)
    return { allowanceMicros: this.allowance, grantedMicros: this.granted, heldMicros }
  }

  /** Takes available credits, the allowance first. Returns the part of the allowance. */
  draw(wanted: bigint): bigint {
    const fromAllowance = least(wanted, this.allowance)
    this.allowance -= fromAllowance
    this.granted -= wanted - fromAllowance
    return fromAllowance
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Whether `work` was refused for want of credits. */
const refuses = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => false,
    (error: unknown) => {
      if (error instanceof ServiceError && /insufficient_credits|invalid_value/.test(error.code)) return true
      throw error
    },
  )

const entriesOf = async ({ id }: Run) => {
  const entries = `select kind, allowance_micros::text as allowance, granted_micros::text as granted from ledger
    where run_id = $1`
  return (await db.database.systemPool.query(entries, [id])).rows
}

const entriesFor = (charge: bigint | null, fromAllowance: bigint) =>
  charge === null
    ? []
    : [{ kind: 'charge', allowance: `${-fromAllowance}`, granted: `${fromAllowance - charge}` }]

async function apply(person: Caller, model: Model, next: Command): Promise<void> {
  const { database } = db
  const { accountId, plan } = person.principal
  const inTx = <T>(work: Parameters<typeof withTx<T>>[2]) => withTx(database, { accountId }, work)
  switch (next.kind) {
    case 'grant':
      await inTx((tx) => grantCredits(tx, accountId, next.micros))
      model.granted += next.micros
      return
    case 'takeBack': {
      const taking = { actor: commandLine, accountId, micros: next.micros }
      const isRefused = await refuses(withTx(database, 'system', (tx) => takeCreditsBack(tx, taking)))
      expect(isRefused).toBe(next.micros > model.available)
      if (isRefused) return
      const fromGranted = least(next.micros, model.granted)
      model.granted -= fromGranted
      model.allowance -= next.micros - fromGranted
      return
    }
    case 'place': {
      const placing = placeHold(database, person, next.micros)
      const isRefused = await refuses(placing)
      expect(isRefused, 'refused exactly when the account has less').toBe(next.micros > model.available)
      if (isRefused) return
      model.open.push({ run: await placing, micros: next.micros, allowance: model.draw(next.micros) })
      return
    }
    case 'extend': {
      const hold = model.open[next.hold % Math.max(model.open.length, 1)]
      if (!hold) return
      const isExtended = await extendHold(database, hold.run, next.micros)
      expect(isExtended).toBe(next.micros <= model.available)
      if (!isExtended) return
      hold.micros += next.micros
      hold.allowance += model.draw(next.micros)
      return
    }
    case 'settle': {
      const [hold] = model.open.splice(next.hold % Math.max(model.open.length, 1), 1)
      if (!hold) return
      const charge = next.free ? null : (hold.micros * BigInt(next.quarters)) / 4n
      expect(await settleHold(database, hold.run, charge)).toBe(true)
      const spent = charge ?? 0n
      const fromAllowance = least(spent, hold.allowance)
      expect(await entriesOf(hold.run)).toEqual(entriesFor(charge, fromAllowance))
      model.allowance += hold.allowance - fromAllowance
      model.granted += hold.micros - hold.allowance - (spent - fromAllowance)
      model.spent += spent
      return
    }
    case 'nextMonth':
      await db.database.systemPool.query(
        `update accounts set allowance_month = allowance_month - interval '1 month' where id = $1`,
        [accountId],
      )
      await inTx((tx) => ensureAllowance(tx, accountId, plan))
      model.allowance = monthly
  }
}

test('an account has a plain sum after any order of grants, holds, ends and months', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
      const person = await makeCaller(db.database, limits)
      const { accountId, plan } = person.principal
      await withTx(db.database, { accountId }, (tx) => ensureAllowance(tx, accountId, plan))
      const model = new Model()
      for (const next of commands) {
        await apply(person, model, next)
        expect(await withTx(db.database, { accountId }, (tx) => creditsOf(tx, accountId))).toEqual(
          model.credits,
        )
      }
      const { rows } = await db.database.systemPool.query<{ spent: string }>(
        `select coalesce(-sum(allowance_micros + granted_micros), 0)::text as spent from ledger
         where kind = 'charge' and account_id = $1`,
        [accountId],
      )
      expect(BigInt(rows[0]?.spent ?? -1)).toBe(model.spent)
      expect(await checkInvariants(db.database)).toEqual([])
    }),
    { numRuns: 25 },
  )
})

test('of fifty turns at once on money for ten, exactly ten are held and none half', async () => {
  const person = await makeCaller(db.database, { ...limits, monthlyMicros: 0n })
  const { accountId } = person.principal
  await withTx(db.database, { accountId }, (tx) => grantCredits(tx, accountId, 105n))
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, () => placeHold(db.database, person, 10n)),
  )
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  const credits = await withTx(db.database, { accountId }, (tx) => creditsOf(tx, accountId))
  expect(credits).toEqual({ allowanceMicros: 0n, grantedMicros: 5n, heldMicros: 100n })
})
