import { type Account, createForOther, listAccounts } from '../accounts/accounts.ts'
import { commandLine } from '../accounts/audit.ts'
import { requireGoodPassword } from '../accounts/passwords/password-rules.ts'
import { changePlan } from '../billing/change-plan.ts'
import { withTx } from '../db/client.ts'
import { randomBase62 } from '../ids.ts'
import type { Command } from './command.ts'
import { readPage } from './printing/list-pages.ts'

const row = (account: Account) => ({
  id: account.id,
  email: account.email,
  plan: account.plan,
  operator: account.operator,
  suspended_at: account.suspendedAt?.toISOString() ?? null,
  deletion_due_at: account.deletionDueAt?.toISOString() ?? null,
  legal_hold_at: account.legalHoldAt?.toISOString() ?? null,
  created_at: account.createdAt.toISOString(),
})

export const accountCommands: Readonly<Record<string, Command>> = {
  'accounts create': {
    usage: '--email E --plan P [--password …] [--operator]',
    summary: 'creates an account; without --password it generates one and prints it once',
    run: async ({ installation, text, flag }) => {
      const chosen = text('password')
      if (chosen !== undefined) await requireGoodPassword(chosen, [text('email') ?? ''])
      const password = chosen ?? randomBase62(20)
      const input = {
        email: text('email') ?? '',
        plan: text('plan') ?? '',
        password,
        operator: flag('operator'),
      }
      const account = await withTx(installation.database, 'system', (tx) =>
        createForOther(tx, installation.plans, commandLine, input),
      )
      const made = chosen === undefined ? { password } : {}
      return { rows: { ...row(account), ...made } }
    },
  },
  'accounts set-plan': {
    usage: '--email E --plan P',
    summary: 'changes the plan of an account; it applies from the next request',
    run: async ({ installation, text }) => {
      const { database, plans } = installation
      const change = { actor: commandLine, email: text('email') ?? '', plan: text('plan') ?? '' }
      const account = await withTx(database, 'system', (tx) => changePlan(tx, plans, change))
      return { rows: row(account) }
    },
  },
  'accounts list': {
    usage: '[--limit N] [--after ID]',
    summary: 'lists the accounts, oldest first; --after takes the last id of the previous page',
    run: async (invocation) => {
      const { system } = invocation.installation.database
      const page = await readPage(
        invocation,
        (wanted) => listAccounts(system, wanted),
        ({ id }) => id,
      )
      return { rows: page.map(row) }
    },
  },
}
