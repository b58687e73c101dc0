import { type Account, findAccount } from '../accounts/accounts.ts'
import type { Plans } from '../accounts/plans.ts'
import { creditsText, parseCredits } from '../billing/credits.ts'
import { balanceOf, ensureAllowance, grantCredits } from '../billing/pools.ts'
import { type Executor, withTx } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import type { Command } from './command.ts'

async function balanceRow(tx: Executor, plans: Plans, account: Account) {
  await ensureAllowance(tx, account.id, plans.of(account.plan))
  const { availableMicros, heldMicros } = await balanceOf(tx, account.id)
  return { email: account.email, available: creditsText(availableMicros), held: creditsText(heldMicros) }
}

export const creditCommands: Readonly<Record<string, Command>> = {
  'credits grant': {
    usage: '--account E --amount N',
    summary: 'gives credits that do not expire',
    options: { account: { type: 'string' }, amount: { type: 'string' } },
    required: ['account', 'amount'],
    run: async ({ installation, text }) => {
      const micros = parseCredits(text('amount') ?? '')
      if (micros === undefined || micros === 0n) {
        throw new ServiceError(
          'invalid_value',
          '--amount takes a number above zero with at most six decimals.',
        )
      }
      const rows = await withTx(installation.database, 'system', async (tx) => {
        const account = await findAccount(tx, text('account') ?? '')
        await grantCredits(tx, account.id, micros)
        return balanceRow(tx, installation.plans, account)
      })
      return { rows }
    },
  },
  'credits balance': {
    usage: '--account E',
    summary: 'shows what an account can spend and what its running turns have set aside',
    options: { account: { type: 'string' } },
    required: ['account'],
    run: async ({ installation, text }) => ({
      rows: await withTx(installation.database, 'system', async (tx) =>
        balanceRow(tx, installation.plans, await findAccount(tx, text('account') ?? '')),
      ),
    }),
  },
}
