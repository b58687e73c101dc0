import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { databaseFault, uniqueViolation } from '../../db/errors.ts'
import { apiKeys } from '../../db/schema/index.ts'
import { invalidValue, notFound } from '../../errors.ts'
import { derivedId, newId } from '../../ids.ts'
import type { KeyDefaults } from '../key-defaults.ts'
import { defaultScopes } from '../scopes.ts'
import { checkedName, checkedScopes, requireOwnProject } from './key-checks.ts'
import { type KeySettings, noSettings } from './key-settings.ts'
import { displayParts, generateKeyText } from './key-text.ts'
import { digestKey, type Peppers } from './pepper.ts'

export type KeyReach =
  | { readonly kind: 'project'; readonly projectId: string }
  | { readonly kind: 'dedicated' }
  | { readonly kind: 'owner' }

export type KeyInput = {
  /** Id of the form that creates the key. The same form creates only one key, even if it is sent twice. */
  readonly form?: string
  readonly name: string
  /** Undefined: the default scopes. */
  readonly scopes?: readonly string[]
  readonly reach: KeyReach
  readonly expiresAt?: Date
  /** The member that makes it. Default: nobody, for the command line. */
  readonly createdBy?: string | null
  /** Default: no limits and no defaults. */
  readonly settings?: KeySettings
}

/** The columns of `KeyInfo`, each by its name: a new column of the table is not shown until it stands here. */
export const keyColumns = {
  id: apiKeys.id,
  name: apiKeys.name,
  prefix: apiKeys.prefix,
  lastFour: apiKeys.lastFour,
  scopes: apiKeys.scopes,
  binding: apiKeys.binding,
  projectId: apiKeys.projectId,
  createdBy: apiKeys.createdBy,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  dayCapMicros: apiKeys.dayCapMicros,
  monthCapMicros: apiKeys.monthCapMicros,
  totalCapMicros: apiKeys.totalCapMicros,
  requestsPerMinute: apiKeys.requestsPerMinute,
  concurrentTurns: apiKeys.concurrentTurns,
  allowedAddresses: apiKeys.allowedAddresses,
  defaults: sql<KeyDefaults>`${apiKeys.defaults}`,
}

/** A key as it may be shown. It does not contain the secret, which is stored nowhere. */
export type KeyInfo = Readonly<
  Pick<typeof apiKeys.$inferSelect, Exclude<keyof typeof keyColumns, 'defaults'>>
> &
  Pick<KeySettings, 'defaults'>

/**
 * Creates a key. The returned `key` is the only copy of its text.
 * @throws ServiceError `invalid_value` for an invalid name, scope, project or expiry, or with the param `form`
 *   if the form has already created a key.
 */
export async function createKey(
  executor: Executor,
  peppers: Peppers,
  accountId: string,
  input: KeyInput,
): Promise<{ readonly key: string; readonly info: KeyInfo }> {
  const name = checkedName(input.name)
  if (input.expiresAt && input.expiresAt.getTime() <= Date.now()) {
    throw invalidValue('The expiry is in the past. Give a later time.', 'expires')
  }
  const granted = checkedScopes(input.scopes ?? defaultScopes, input.reach.kind === 'owner')
  if (input.reach.kind === 'project') await requireOwnProject(executor, accountId, input.reach.projectId)
  const key = generateKeyText()
  const [pepper] = peppers
  const [info] = await insertKey(executor, {
    id: input.form === undefined ? newId('key') : keyIdOfForm(accountId, input.form),
    accountId,
    name,
    ...displayParts(key),
    digest: digestKey(key, pepper),
    pepperVersion: pepper.version,
    scopes: granted,
    binding: input.reach.kind,
    projectId: input.reach.kind === 'project' ? input.reach.projectId : null,
    createdBy: input.createdBy ?? null,
    expiresAt: input.expiresAt ?? null,
    ...rowOf(input.settings ?? noSettings),
  })
  if (!info) throw new Error('insert returned no row')
  return { key, info }
}

/**
 * Changes the name and the settings of a key. Caps and the concurrency limit apply from the commit on; the rate limit,
 * the addresses and the defaults from the next second.
 * @param accountId undefined: a key of any account.
 * @throws ServiceError `not_found`, also for a revoked key; `invalid_value` for an invalid name.
 */
export async function changeKey(
  executor: Executor,
  keyId: string,
  { name, settings }: { readonly name: string; readonly settings: KeySettings },
  accountId?: string,
): Promise<{ readonly accountId: string; readonly info: KeyInfo }> {
  const mine = accountId ? eq(apiKeys.accountId, accountId) : undefined
  const [changed] = await executor
    .update(apiKeys)
    .set({ name: checkedName(name), ...rowOf(settings) })
    .where(and(eq(apiKeys.id, keyId), mine, isNull(apiKeys.revokedAt)))
    .returning({ ...keyColumns, accountId: apiKeys.accountId })
  if (!changed) throw notFound()
  const { accountId: owner, ...info } = changed
  return { accountId: owner, info }
}

const rowOf = ({ allowedAddresses, ...settings }: KeySettings) => ({
  ...settings,
  allowedAddresses: allowedAddresses && [...allowedAddresses],
})

/**
 * The key id for a form. It also depends on the account, so a form cannot name or probe for another account's
 * key.
 */
function keyIdOfForm(accountId: string, form: string): string {
  return derivedId('key', `${accountId}\n${form}`)
}

async function insertKey(executor: Executor, row: typeof apiKeys.$inferInsert): Promise<KeyInfo[]> {
  try {
    return await executor.insert(apiKeys).values(row).returning(keyColumns)
  } catch (error) {
    if (databaseFault(error)?.code !== uniqueViolation) throw error
    throw invalidValue('This form has created a key already. Open a new form.', 'form')
  }
}

/** Finds one key of the account. Undefined if it does not exist. */
export async function findKey(
  executor: Executor,
  accountId: string,
  keyId: string,
): Promise<KeyInfo | undefined> {
  const [key] = await executor
    .select(keyColumns)
    .from(apiKeys)
    .where(and(eq(apiKeys.id, keyId), eq(apiKeys.accountId, accountId)))
  return key
}

/** Finds one key of any account. Undefined if it does not exist. */
export async function findKeyOfAny(executor: Executor, keyId: string): Promise<KeyInfo | undefined> {
  const [key] = await executor.select(keyColumns).from(apiKeys).where(eq(apiKeys.id, keyId))
  return key
}

/**
 * The account that owns a key.
 * @param accountId if given, a key of another account does not exist.
 * @throws ServiceError `not_found`.
 */
export async function ownerOfKey(executor: Executor, keyId: string, accountId?: string): Promise<string> {
  const [key] = await executor
    .select({ accountId: apiKeys.accountId })
    .from(apiKeys)
    .where(and(eq(apiKeys.id, keyId), accountId ? eq(apiKeys.accountId, accountId) : undefined))
  if (!key) throw notFound()
  return key.accountId
}

/**
 * Revokes a key. From the commit on, no request and no new turn is accepted with it. Revoking it again is not
 * an error.
 * @returns the account that owns the key.
 * @throws ServiceError `not_found`.
 */
export async function revokeKey(
  executor: Executor,
  keyId: string,
  accountId?: string,
): Promise<{ readonly accountId: string }> {
  const owner = await ownerOfKey(executor, keyId, accountId)
  await executor
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)))
  return { accountId: owner }
}

/** Lets a key of the account end in some hours, or at its own expiry if that is sooner. */
export async function expireKey(
  executor: Executor,
  accountId: string,
  keyId: string,
  hours: number,
): Promise<void> {
  await executor
    .update(apiKeys)
    .set({ expiresAt: sql`least(${apiKeys.expiresAt}, now() + make_interval(hours => ${hours}))` })
    .where(and(eq(apiKeys.id, keyId), eq(apiKeys.accountId, accountId)))
}
