import { findAccount } from '../accounts/accounts.ts'
import { commandLine, recordAction } from '../accounts/audit.ts'
import { findKeys } from '../accounts/keys/key-list.ts'
import {
  type KeySettings,
  noSettings,
  readSettings,
  settingNames,
  settingTexts,
} from '../accounts/keys/key-settings.ts'
import { changeKey, createKey, findKeyOfAny, type KeyInfo, type KeyReach } from '../accounts/keys/keys.ts'
import { scopes } from '../accounts/scopes.ts'
import type { Config } from '../config.ts'
import { type Executor, withTx } from '../db/client.ts'
import { invalidValue, ServiceError } from '../errors.ts'
import { toolGroups } from '../turns/run/run-request.ts'
import { revokeKeyAndTurns } from '../turns/sessions/suspension.ts'
import type { Command, Invocation } from './command.ts'
import { readPage } from './printing/list-pages.ts'

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
  settings: settingsText(key),
})

/** The limits and defaults that are set: `day_cap=10 tools=library`. */
function settingsText(settings: KeySettings): string {
  const texts = settingTexts(settings)
  return settingNames.flatMap((name) => (texts[name] === '' ? [] : [`${name}=${texts[name]}`])).join(' ')
}

const settingsUsage = settingNames.map((name) => `[--${name.replaceAll('_', '-')} X]`).join(' ')

/**
 * The settings with the options of the command; others stay. An empty option removes a setting. A model that stays is
 * not checked: the service may no longer offer it.
 */
async function settingsOf({ text, config }: Invocation, before: KeySettings): Promise<KeySettings> {
  const models = text('model') ? { models: await offeredModels(config) } : {}
  const texts = settingTexts(before)
  const given = settingNames.map((name) => [name, text(name.replaceAll('_', '-')) ?? texts[name]])
  return readSettings(Object.fromEntries(given), { toolGroups, ...models })
}

/** Loaded only when a model is named, because the providers of models are a large part of the service. */
async function offeredModels(config: Config): Promise<readonly string[]> {
  const { openCatalogue } = await import('../models/model-catalogue.ts')
  const catalogue = await openCatalogue(config.model)
  await catalogue.close()
  return catalogue.models.map(({ id }) => id)
}

/** @throws ServiceError `invalid_value` for an option that names nothing; default: the default scopes. */
function scopesOf({ text }: Invocation): readonly string[] | undefined {
  const written = text('scopes')
  if (written === undefined) return undefined
  const named = written
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '')
  if (named.length > 0) return named
  throw invalidValue(`--scopes names no scope. Use some of: ${scopes.join(', ')}.`)
}

function reachOf({ text, flag }: Invocation): KeyReach {
  const projectId = text('project')
  if (projectId !== undefined && flag('owner-wide')) {
    throw invalidValue('--project and --owner-wide exclude each other. Give one of them.')
  }
  if (projectId !== undefined) return { kind: 'project', projectId }
  return flag('owner-wide') ? { kind: 'owner' } : { kind: 'dedicated' }
}

function expiryOf({ text }: Invocation): { expiresAt?: Date } {
  const expires = text('expires')
  if (expires === undefined) return {}
  const expiresAt = new Date(expires)
  // `Date` also reads `5` as a day in May, and 30 February as 2 March.
  const [day = ''] = /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(expires) ?? []
  const isDay = new Date(`${day}T00:00:00Z`)
  if (
    Number.isNaN(expiresAt.getTime()) ||
    Number.isNaN(isDay.getTime()) ||
    !isDay.toISOString().startsWith(day)
  ) {
    throw invalidValue('--expires takes an ISO date, such as 2027-01-31T00:00:00Z.')
  }
  return { expiresAt }
}

function recordKey(
  tx: Executor,
  action: 'key.created' | 'key.changed' | 'key.revoked',
  accountId: string,
  keyId: string,
): Promise<void> {
  return recordAction(tx, { actor: commandLine, action, accountId, details: { key: keyId } })
}

function unknownKey(id: string): ServiceError {
  return new ServiceError('not_found', `There is no key "${id}". The command \`keys list\` shows all keys.`)
}

export const keyCommands: Readonly<Record<string, Command>> = {
  'keys create': {
    usage: `--account E [--name N] [--project ID | --owner-wide] [--scopes a,b] [--expires ISO] ${settingsUsage}`,
    summary:
      'creates an API key and prints it once, as JSON; without --project its first use creates a project',
    run: async (invocation) => {
      const { installation, text } = invocation
      const { database, peppers } = installation
      const scopes = scopesOf(invocation)
      const settings = await settingsOf(invocation, noSettings)
      const { key, info } = await withTx(database, 'system', async (tx) => {
        const account = await findAccount(tx, text('account') ?? '')
        const made = await createKey(tx, peppers, account.id, {
          name: text('name') ?? 'API key',
          reach: reachOf(invocation),
          settings,
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
  'keys change': {
    usage: `ID [--name N] ${settingsUsage}`,
    summary: 'changes the name, the limits and the defaults of a key; an empty value removes one',
    run: async (invocation) => {
      const { installation, words, text } = invocation
      const id = words[0] ?? ''
      const info = await withTx(installation.database, 'system', async (tx) => {
        const before = await findKeyOfAny(tx, id)
        if (!before) throw unknownKey(id)
        const settings = await settingsOf(invocation, before)
        const change = { name: text('name') ?? before.name, settings }
        const changed = await changeKey(tx, id, change)
        await recordKey(tx, 'key.changed', changed.accountId, id)
        return changed.info
      })
      return { rows: row(info) }
    },
  },
  'keys list': {
    usage: '[--account E] [--limit N] [--after ID]',
    summary:
      'lists keys by their first and last characters, newest first; --after takes the last id of a page',
    run: async (invocation) => {
      const { system } = invocation.installation.database
      const email = invocation.text('account')
      const accountId = email === undefined ? undefined : (await findAccount(system, email)).id
      const page = await readPage(
        invocation,
        async (wanted) => (await findKeys(system, accountId, { q: '', state: '' }, wanted)).items,
        ({ id }) => id,
      )
      return { rows: page.map(row) }
    },
  },
  'keys revoke': {
    usage: 'ID',
    summary: 'revokes a key: its requests are refused and its turns stop',
    run: async ({ installation, words }) => {
      const id = words[0] ?? ''
      await withTx(installation.database, 'system', async (tx) => {
        if (!(await findKeyOfAny(tx, id))) throw unknownKey(id)
        const { accountId } = await revokeKeyAndTurns(tx, id)
        await recordKey(tx, 'key.revoked', accountId, id)
      })
      return { rows: { id, revoked: true }, lines: [`The key ${id} is revoked.`] }
    },
  },
}
