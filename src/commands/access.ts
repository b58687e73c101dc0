import { type FileHandle, open, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { exportAccount } from '../account-export/account-archive.ts'
import { type Account, findAccount } from '../accounts/accounts.ts'
import { commandLine } from '../accounts/audit.ts'
import { deleteAccount } from '../accounts/delete-account.ts'
import { endHold, placeHold } from '../accounts/legal-hold.ts'
import { removeSecondFactor } from '../accounts/second-factor/second-factor.ts'
import { createResetLink, resetHours } from '../accounts/sign-in/password-reset.ts'
import { withTx } from '../db/client.ts'
import { invalidValue, messageOf } from '../errors.ts'
import { resumeAccount, suspendAccount } from '../turns/sessions/suspension.ts'
import { openObjectStore } from '../workspace/s3.ts'
import type { Command, Invocation } from './command.ts'

/** Who may use an account, and what happens to its data. */
export const accessCommands: Readonly<Record<string, Command>> = {
  'accounts reset-password': {
    usage: '--email E',
    summary: `prints a password reset link, once; it works once, for ${resetHours} hours`,
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
    run: async (invocation) => {
      const { id: accountId, email: address } = await accountOf(invocation)
      const acting = { actor: commandLine, accountId }
      const { turnsStopped } = await suspendAccount(invocation.installation.database, acting)
      return { rows: { id: accountId, email: address, suspended: true, turns_stopped: turnsStopped } }
    },
  },
  'accounts resume': {
    usage: '--email E',
    summary: 'ends the suspension of an account, or takes back its deletion by the owner',
    run: async (invocation) => {
      const { id: accountId, email: address } = await accountOf(invocation)
      await resumeAccount(invocation.installation.database, { actor: commandLine, accountId })
      return { rows: { id: accountId, email: address, suspended: false } }
    },
  },
  'accounts delete': {
    usage: '--email E [--confirm E]',
    summary:
      'deletes an account with its keys, projects, sessions and files if --confirm repeats its address; the ledger stays',
    run: async (invocation) => {
      const { id: accountId, email: address } = await accountOf(invocation)
      if (invocation.text('confirm')?.trim().toLowerCase() !== address) {
        throw invalidValue(
          `This deletes everything in ${address} and cannot be undone. Repeat the address to confirm: --confirm ${address}`,
        )
      }
      await deleteAccount(invocation.installation.database, { actor: commandLine, accountId })
      return { rows: { id: accountId, email: address, deleted: true } }
    },
  },
  'accounts export': {
    usage: '--email E --out FILE.zip',
    summary: 'writes all data of an account but secrets to a ZIP file',
    run: async (invocation) => {
      const { database, acting, email: address } = await actingOn(invocation)
      const file = invocation.text('out') ?? ''
      const out = (await newFile(file)).createWriteStream()
      try {
        const objects = openObjectStore(invocation.config.files)
        await pipeline(await exportAccount({ database, objects }, acting), out)
      } catch (error) {
        await rm(file)
        throw error
      }
      return { rows: { id: acting.accountId, email: address, file, bytes: out.bytesWritten } }
    },
  },
  'accounts hold': {
    usage: '--email E --reason TEXT',
    summary: 'places a legal hold: nothing of the account is deleted until accounts release',
    run: async (invocation) => {
      const { database, acting, email: address } = await actingOn(invocation)
      await placeHold(database, { ...acting, reason: invocation.text('reason') ?? '' })
      return { rows: { id: acting.accountId, email: address, legal_hold: true } }
    },
  },
  'accounts release': {
    usage: '--email E',
    summary: 'ends the legal hold of an account',
    run: async (invocation) => {
      const { database, acting, email: address } = await actingOn(invocation)
      await endHold(database, acting)
      return { rows: { id: acting.accountId, email: address, legal_hold: false } }
    },
  },
}

/** Opens a new file that others on the machine cannot read. @throws ServiceError `invalid_value`. */
async function newFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600)
  } catch (error) {
    const message = `${file} cannot be written: name a new file in a folder that exists. (${messageOf(error)})`
    throw invalidValue(message, 'out')
  }
}

async function actingOn(invocation: Invocation) {
  const { id: accountId, email } = await accountOf(invocation)
  return { database: invocation.installation.database, email, acting: { actor: commandLine, accountId } }
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
