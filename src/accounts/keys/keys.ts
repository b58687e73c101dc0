import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { databaseFault, isTransient, uniqueViolation } from '../../db/errors.ts'
import { apiKeys, projects } from '../../db/schema/index.ts'
import { statement } from '../../db/statement.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { derivedId, newId } from '../../ids.ts'
import { accountSuspended } from '../accounts.ts'
import type { Plans } from '../plans.ts'
import type { Binding, Principal } from '../principal.ts'
import { defaultScopes, isScope, type KeyScope, scopes } from '../scopes.ts'
import type { KeyCache } from './key-cache.ts'
import { displayParts, generateKeyText, isKeyText } from './key-text.ts'
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
}

/** A key as it may be shown. It does not contain the secret, which is stored nowhere. */
export type KeyInfo = {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly lastFour: string
  readonly scopes: readonly string[]
  readonly binding: 'project' | 'dedicated' | 'owner'
  readonly projectId: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

const columns = {
  id: apiKeys.id,
  name: apiKeys.name,
  prefix: apiKeys.prefix,
  lastFour: apiKeys.lastFour,
  scopes: apiKeys.scopes,
  binding: apiKeys.binding,
  projectId: apiKeys.projectId,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
}

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
  const name = input.name.trim()
  if (name === '' || name.length > 100) {
    throw new ServiceError('invalid_value', 'A key needs a name of 1 to 100 characters.', { param: 'name' })
  }
  if (input.expiresAt && input.expiresAt.getTime() <= Date.now()) {
    throw new ServiceError('invalid_value', 'The expiry is in the past. Give a later time.', {
      param: 'expires',
    })
  }
  const granted = checkedScopes(input)
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
    expiresAt: input.expiresAt ?? null,
  })
  if (!info) throw new Error('insert returned no row')
  return { key, info }
}

/**
 * The key id for a form. It also depends on the account, so a form cannot name or probe for another account's
 * key.
 */
function keyIdOfForm(accountId: string, form: string): string {
  return derivedId('key', `${accountId}\n${form}`)
}

async function insertKey(executor: Executor, row: typeof apiKeys.$inferInsert): Promise<KeyInfo[]> {
  try {
    return await executor.insert(apiKeys).values(row).returning(columns)
  } catch (error) {
    if (databaseFault(error)?.code !== uniqueViolation) throw error
    throw new ServiceError('invalid_value', 'This form has created a key already. Open a new form.', {
      param: 'form',
    })
  }
}

function checkedScopes(input: KeyInput): KeyScope[] {
  const wanted = input.scopes ?? defaultScopes
  for (const scope of wanted) {
    if (!isScope(scope)) {
      throw new ServiceError(
        'invalid_value',
        `There is no scope "${scope}". Use some of: ${scopes.join(', ')}.`,
        {
          param: 'scopes',
        },
      )
    }
  }
  if (wanted.includes('projects:write') && input.reach.kind !== 'owner') {
    throw new ServiceError(
      'invalid_value',
      'The scope "projects:write" needs an owner-wide key. Leave the scope out, or create an owner-wide key.',
      {
        param: 'scopes',
      },
    )
  }
  return scopes.filter((scope) => wanted.includes(scope))
}

async function requireOwnProject(executor: Executor, accountId: string, projectId: string): Promise<void> {
  const [found] = await executor
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.id, projectId), eq(projects.accountId, accountId)))
  if (!found) {
    throw new ServiceError('invalid_value', `The account has no project "${projectId}". Check the id.`, {
      param: 'project',
    })
  }
}

export function listKeys(executor: Executor, accountId?: string): Promise<KeyInfo[]> {
  return executor
    .select(columns)
    .from(apiKeys)
    .where(accountId ? eq(apiKeys.accountId, accountId) : undefined)
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
}

/** Finds one key of the account. Undefined if it does not exist. */
export async function findKey(
  executor: Executor,
  accountId: string,
  keyId: string,
): Promise<KeyInfo | undefined> {
  const [key] = await executor
    .select(columns)
    .from(apiKeys)
    .where(and(eq(apiKeys.id, keyId), eq(apiKeys.accountId, accountId)))
  return key
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
  const mine = and(eq(apiKeys.id, keyId), accountId ? eq(apiKeys.accountId, accountId) : undefined)
  const [known] = await executor.select({ accountId: apiKeys.accountId }).from(apiKeys).where(mine)
  if (!known) throw notFound()
  await executor
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(mine, isNull(apiKeys.revokedAt)))
  return known
}

const findByDigest = statement<{
  id: string
  account_id: string
  plan: string
  suspended: boolean
  scopes: string[]
  binding: string
  project_id: string | null
  used_lately: boolean
}>(
  'find_key',
  `select k.id, k.account_id, a.plan, a.suspended_at is not null as suspended, k.scopes, k.binding, k.project_id,
    coalesce(k.last_used_at > now() - interval '1 minute', false) as used_lately
  from api_keys k join accounts a on a.id = k.account_id
  where k.digest = any(:digests::bytea[]) and k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) and a.password_hash <> ''`,
)

/**
 * Authenticates a key: one query on a unique index over the digest, using the database's clock.
 * @param known cache that may answer for one second; a key found in the database is added to it.
 * @returns undefined for a malformed, unknown, revoked or expired key.
 * @throws ServiceError `account_suspended` for a valid key of a suspended account.
 */
export async function authenticateKey(
  executor: Executor,
  peppers: Peppers,
  plans: Plans,
  keyText: string,
  known?: KeyCache,
): Promise<Principal | undefined> {
  if (!isKeyText(keyText)) return undefined
  const cached = known?.get(keyText)
  if (cached) return cached
  const digests = peppers.map((pepper) => digestKey(keyText, pepper))
  const [row] = await findByDigest(executor, { digests })
  if (!row) return undefined
  if (row.suspended) throw accountSuspended()
  if (!row.used_lately) await noteUse(executor, row.id)
  const principal: Principal = {
    accountId: row.account_id,
    plan: plans.of(row.plan),
    keyId: row.id,
    scopes: new Set(row.scopes.filter(isScope)),
    binding: { kind: row.binding, projectId: row.project_id } as Binding,
  }
  // Not cached: a key whose first turn will create its project, and a key whose plan, without API access, may
  // change at any moment.
  if (row.project_id !== null && principal.plan.apiAccess) known?.set(keyText, principal)
  return principal
}

/** A read-only database (a full disk, for example) must not lock keys out. */
async function noteUse(executor: Executor, keyId: string): Promise<void> {
  try {
    await executor.update(apiKeys).set({ lastUsedAt: sql`now()` }).where(eq(apiKeys.id, keyId))
  } catch (error) {
    const fault = databaseFault(error)
    if (!fault || !isTransient(fault)) throw error
  }
}

const readUsable = statement<{ usable: boolean }>('key_usable', 'select key_usable(:keyId) as usable')

/** Whether a key still works. Checked between the steps of a running turn. */
export async function isKeyUsable(executor: Executor, keyId: string): Promise<boolean> {
  const [row] = await readUsable(executor, { keyId })
  return row?.usable ?? false
}
