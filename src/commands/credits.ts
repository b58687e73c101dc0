import { type Account, findAccount } from '../accounts/accounts.ts'
import { commandLine } from '../accounts/audit.ts'
import type { Plans } from '../accounts/plans.ts'
import { availableIn, creditsOf, ensureAllowance } from '../billing/account-credits.ts'
import { creditsText, parseCredits } from '../billing/credits.ts'
import { grantByOperator } from '../billing/grant-once.ts'
import { takeCreditsBack } from '../billing/take-back.ts'
import { type Executor, withTx } from '../db/client.ts'
import { invalidValue } from '../errors.ts'
import type { Command } from './command.ts'

async function balanceRow(tx: Executor, plans: Plans, account: Account) {
  await ensureAllowance(tx, account.id, plans.of(account.plan))
  const credits = await creditsOf(tx, account.id)
  const { heldMicros } = credits
  return { email: account.email, available: creditsText(availableIn(credits)), held: creditsText(heldMicros) }
}

/** @throws ServiceError `invalid_value`. */
function amountOf(text: string): bigint {
  const micros = parseCredits(text)
  if (micros !== undefined && micros > 0n) return micros
  throw invalidValue('--amount takes a number above zero with at most six decimals.')
}

export const creditCommands: Readonly<Record<string, Command>> = {
  'credits grant': {
    usage: '--account E --amount N',
    summary: 'gives credits that do not expire',
    run: async ({ installation, text }) => {
      const micros = amountOf(text('amount') ?? '')
      const rows = await withTx(installation.database, 'system', async (tx) => {
        const account = await findAccount(tx, text('account') ?? '')
        await grantByOperator(tx, { actor: commandLine, accountId: account.id, micros })
        return balanceRow(tx, installation.plans, account)
      })
      return { rows }
    },
  },
  'credits take-back': {
    usage: '--account E --amount N|all',
    summary: 'takes back credits that no turn holds; refuses an amount above these',
    run: async ({ installation, text }) => {
      const amount = text('amount') ?? ''
      const micros = amount === 'all' ? 'all' : amountOf(amount)
      const rows = await withTx(installation.database, 'system', async (tx) => {
        const account = await findAccount(tx, text('account') ?? '')
        await ensureAllowance(tx, account.id, installation.plans.of(account.plan))
        const taken = await takeCreditsBack(tx, { actor: commandLine, accountId: account.id, micros })
        return { taken_back: creditsText(taken), ...(await balanceRow(tx, installation.plans, account)) }
      })
      return { rows }
    },
  },
  'credits balance': {
    usage: '--account E',
    summary: 'shows the available credits of an account and what its running turns hold',
    run: async ({ installation, text }) => ({
      rows: await withTx(installation.database, 'system', async (tx) =>
        balanceRow(tx, installation.plans, await findAccount(tx, text('account') ?? '')),
      ),
    }),
  },
}
