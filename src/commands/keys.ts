import { findAccount } from '../accounts/accounts.ts'
import { commandLine, recordAction } from '../accounts/audit.ts'
import { createKey, type KeyInfo, type KeyReach, listKeys, revokeKey } from '../accounts/keys/keys.ts'
import { type Executor, withTx } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import type { Command, Invocation } from './command.ts'

const row = (key: KeyInfo) => ({
  id: key.id,
  name: key.name,
  shown: `${key.prefix}…${key.lastFour}`,
  scopes: key.scopes,
  binding: key.binding,
  project_id: key.projectId,
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  expires_at: key.expiresAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
})

function reachOf({ text, flag }: Invocation): KeyReach {
  const projectId = text('project')
  if (projectId !== undefined && flag('owner-wide')) {
    throw new ServiceError(
      'invalid_value',
      '--project and --owner-wide exclude each other. Give one of them.',
    )
  }
  if (projectId !== undefined) return { kind: 'project', projectId }
  return flag('owner-wide') ? { kind: 'owner' } : { kind: 'dedicated' }
}

function expiryOf({ text }: Invocation): { expiresAt?: Date } {
  const expires = text('expires')
  if (expires === undefined) return {}
  const expiresAt = new Date(expires)
  if (Number.isNaN(expiresAt.getTime())) {
    throw new ServiceError('invalid_value', '--expires takes an ISO date, such as 2027-01-31T00:00:00Z.')
  }
  return { expiresAt }
}

function recordKey(
  tx: Executor,
  action: 'key.created' | 'key.revoked',
  accountId: string,
  keyId: string,
): Promise<void> {
  return recordAction(tx, { actor: commandLine, action, accountId, details: { key: keyId } })
}

export const keyCommands: Readonly<Record<string, Command>> = {
  'keys create': {
    usage: '--account E [--name N] [--project ID | --owner-wide] [--scopes a,b] [--expires ISO]',
    summary:
      'creates an API key and prints it once, as JSON; without --project its first use creates a project',
    options: {
      account: { type: 'string' },
      name: { type: 'string' },
      project: { type: 'string' },
      'owner-wide': { type: 'boolean' },
      scopes: { type: 'string' },
      expires: { type: 'string' },
    },
    required: ['account'],
    run: async (invocation) => {
      const { installation, text } = invocation
      const { database, peppers } = installation
      const scopes = text('scopes')
        ?.split(',')
        .map((scope) => scope.trim())
        .filter((scope) => scope !== '')
      const { key, info } = await withTx(database, 'system', async (tx) => {
        const account = await findAccount(tx, text('account') ?? '')
        const made = await createKey(tx, peppers, account.id, {
          name: text('name') ?? 'API key',
          reach: reachOf(invocation),
          ...(scopes && { scopes }),
          ...expiryOf(invocation),
        })
        await recordKey(tx, 'key.created', account.id, made.info.id)
        return made
      })
      const rows = { key, ...row(info) }
      return { rows, lines: [JSON.stringify(rows, null, 2)] }
    },
  },
  'keys list': {
    usage: '[--account E]',
    summary: 'lists keys by their first and last characters',
    options: { account: { type: 'string' } },
    run: async ({ installation, text }) => {
      const { system } = installation.database
      const email = text('account')
      const accountId = email === undefined ? undefined : (await findAccount(system, email)).id
      return { rows: (await listKeys(system, accountId)).map(row) }
    },
  },
  'keys revoke': {
    usage: 'ID',
    summary: 'revokes a key: its next request is refused',
    options: {},
    words: [1, 1],
    run: async ({ installation, words }) => {
      const id = words[0] ?? ''
      await withTx(installation.database, 'system', async (tx) => {
        const { accountId } = await revokeKey(tx, id)
        await recordKey(tx, 'key.revoked', accountId, id)
      })
      return { rows: { id, revoked: true }, lines: [`The key ${id} is revoked.`] }
    },
  },
}
