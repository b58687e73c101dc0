import { findAccount, findAccountById } from '../accounts/accounts.ts'
import { type AuditEntry, listAuditEntries } from '../accounts/audit.ts'
import { invalidValue, ServiceError } from '../errors.ts'
import type { Command } from './command.ts'
import { countOption, maxRows } from './printing/list-pages.ts'

const defaultEntries = 50

const row = (entry: AuditEntry) => ({
  id: entry.id.toString(),
  at: entry.at.toISOString(),
  actor: entry.actor,
  actor_email: entry.actorEmail,
  action: entry.action,
  account: entry.accountId || null,
  email: entry.email,
  details: entry.details,
})

function entryId(text: string): bigint {
  if (/^\d{1,18}$/.test(text)) return BigInt(text)
  throw invalidValue('--before takes a whole number.')
}

export const auditCommands: Readonly<Record<string, Command>> = {
  'accounts audit': {
    usage: '[--email E | --account ID] [--limit N] [--before ID]',
    summary: 'lists actions of operators, newest first; --before takes the last id of the previous page',
    run: async (invocation) => {
      const { installation, text } = invocation
      const { system } = installation.database
      const email = text('email')
      const named = text('account')
      if (email !== undefined && named !== undefined) {
        throw invalidValue('--email and --account exclude each other. Give one of them.')
      }
      const accountId = email === undefined ? named : (await findAccount(system, email)).id
      const limit = countOption(invocation, 'limit', defaultEntries, maxRows)
      const before = text('before')
      const rows = (
        await listAuditEntries(system, {
          accountId,
          limit,
          before: before === undefined ? undefined : entryId(before),
        })
      ).map(row)
      // A deleted account has at least the entry of its deletion.
      if (rows.length === 0 && named !== undefined && !(await findAccountById(system, named))) {
        throw new ServiceError(
          'not_found',
          `--account: there is no account "${named}". \`accounts list\` shows all.`,
        )
      }
      const lines = rows.map(({ details, ...rest }) =>
        [...Object.values(rest).map((value) => value ?? '-'), JSON.stringify(details)].join('  '),
      )
      return { rows, ...(lines.length > 0 && { lines }) }
    },
  },
}
