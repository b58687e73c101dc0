import { type Account, findAccount } from '../accounts/accounts.ts'
import { commandLine } from '../accounts/audit.ts'
import { deleteAccount } from '../accounts/delete-account.ts'
import { removeSecondFactor } from '../accounts/second-factor/second-factor.ts'
import { createResetLink, resetHours } from '../accounts/sign-in/password-reset.ts'
import { withTx } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import { resumeAccount, suspendAccount } from '../turns/sessions/suspension.ts'
import type { Command, Invocation } from './command.ts'

const email = { email: { type: 'string' } } as const

/** Who may use an account. */
export const accessCommands: Readonly<Record<string, Command>> = {
  'accounts reset-password': {
    usage: '--email E',
    summary: `prints a password reset link, once; it works once, for ${resetHours} hours`,
    options: email,
    required: ['email'],
    run: async (invocation) => {
      const { installation, config } = invocation
      const account = await accountOf(invocation)
      const { path, expiresAt } = await withTx(installation.database, 'system', (tx) =>
        createResetLink(tx, { actor: commandLine, accountId: account.id }),
      )
      const url = config.appUrl === undefined ? null : config.appUrl.replace(/\/+$/, '') + path
      return {
        rows: { email: account.email, url, path, expires_at: expiresAt.toISOString() },
        lines: linesOfLink(account, url, path, expiresAt),
      }
    },
  },
  'accounts reset-second-factor': {
    usage: '--email E',
    summary: 'removes the authenticator app, passkeys and recovery codes of an account',
    options: email,
    required: ['email'],
    run: async (invocation) => {
      const { id: accountId, email: address } = await accountOf(invocation)
      await withTx(invocation.installation.database, 'system', (tx) =>
        removeSecondFactor(tx, { actor: commandLine, accountId }),
      )
      return { rows: { id: accountId, email: address, second_factor: false } }
    },
  },
  'accounts suspend': {
    usage: '--email E',
    summary: 'stops the keys, browser sessions and turns of an account at once; keeps its data',
    options: email,
    required: ['email'],
    run: async (invocation) => {
      const { id: accountId, email: address } = await accountOf(invocation)
      const acting = { actor: commandLine, accountId }
      const { turnsStopped } = await suspendAccount(invocation.installation.database, acting)
      return { rows: { id: accountId, email: address, suspended: true, turns_stopped: turnsStopped } }
    },
  },
  'accounts resume': {
    usage: '--email E',
    summary: 'ends the suspension of an account',
    options: email,
    required: ['email'],
    run: async (invocation) => {
      const { id: accountId, email: address } = await accountOf(invocation)
      await resumeAccount(invocation.installation.database, { actor: commandLine, accountId })
      return { rows: { id: accountId, email: address, suspended: false } }
    },
  },
  'accounts delete': {
    usage: '--email E --confirm E',
    summary: 'deletes an account with its keys, projects, sessions and files; the ledger stays',
    options: { ...email, confirm: { type: 'string' } },
    required: ['email'],
    run: async (invocation) => {
      const { id: accountId, email: address } = await accountOf(invocation)
      if (invocation.text('confirm')?.trim().toLowerCase() !== address) {
        throw new ServiceError(
          'invalid_value',
          `This deletes everything in ${address} and cannot be undone. Repeat the address to confirm: --confirm ${address}`,
        )
      }
      await deleteAccount(invocation.installation.database, { actor: commandLine, accountId })
      return { rows: { id: accountId, email: address, deleted: true } }
    },
  },
}

function accountOf({ installation, text }: Invocation): Promise<Account> {
  return findAccount(installation.database.system, text('email') ?? '')
}

function linesOfLink(account: Account, url: string | null, path: string, expiresAt: Date): readonly string[] {
  const where =
    url === null
      ? [path, 'APP_URL is not set: put the address at which people reach the service before this path.']
      : [url]
  return [
    ...where,
    `Send it to the owner of ${account.email} and to nobody else. It works once, until ${expiresAt.toISOString()}, and is not shown again.`,
  ]
}
