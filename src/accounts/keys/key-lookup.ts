import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { databaseFault, isTransient } from '../../db/errors.ts'
import { accounts, apiKeys } from '../../db/schema/index.ts'
import { accountSuspended } from '../accounts.ts'
import type { KeyDefaults } from '../key-defaults.ts'
import type { Plans } from '../plans.ts'
import type { Binding, Principal } from '../principal.ts'
import { isScope } from '../scopes.ts'
import type { KeyCache } from './key-cache.ts'
import { isKeyText } from './key-text.ts'
import { digestKey, type Peppers } from './pepper.ts'

/**
 * Authenticates a key: one query on a unique index over the digest, using the database's clock.
 * @param known cache that may answer for one second; a key found in the database is added to it.
 * @returns undefined for a malformed, unknown, revoked or expired key.
 * @throws ServiceError `account_suspended` for a valid key of a suspended account.
 */
export type KeyLookup = (keyText: string, known?: KeyCache) => Promise<Principal | undefined>

/** Its query is built once, and the server parses and plans it once per connection. */
export function openKeyLookup(executor: Executor, peppers: Peppers, plans: Plans): KeyLookup {
  const query = findByDigest(executor)
  return async (keyText, known) => {
    if (!isKeyText(keyText)) return undefined
    const cached = known?.get(keyText)
    if (cached) return cached
    const [row] = await query.execute({ digests: peppers.map((pepper) => digestKey(keyText, pepper)) })
    if (!row) return undefined
    if (row.isSuspended) throw accountSuspended()
    if (!row.usedLately) await noteUse(executor, row.id)
    const principal: Principal = {
      accountId: row.accountId,
      memberId: row.createdBy,
      plan: plans.of(row.plan),
      keyId: row.id,
      scopes: new Set(row.scopes.filter(isScope)),
      binding: { kind: row.binding, projectId: row.projectId } as Binding,
      keyRequestsPerMinute: row.requestsPerMinute,
      allowedAddresses: row.allowedAddresses,
      defaults: row.defaults,
    }
    // Not cached: a key whose project will be created on first use, and a key whose plan, without API access, may
    // change at any moment.
    if (row.projectId !== null && principal.plan.apiAccess) known?.set(keyText, principal)
    return principal
  }
}

const findByDigest = (executor: Executor) =>
  executor
    .select({
      id: apiKeys.id,
      accountId: apiKeys.accountId,
      createdBy: apiKeys.createdBy,
      plan: accounts.plan,
      isSuspended: sql<boolean>`${accounts.suspendedAt} is not null`,
      scopes: apiKeys.scopes,
      binding: apiKeys.binding,
      projectId: apiKeys.projectId,
      requestsPerMinute: apiKeys.requestsPerMinute,
      allowedAddresses: apiKeys.allowedAddresses,
      defaults: sql<KeyDefaults>`${apiKeys.defaults}`,
      usedLately: sql<boolean>`coalesce(${apiKeys.lastUsedAt} > now() - interval '1 minute', false)`,
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(
      and(
        sql`${apiKeys.digest} = any(${sql.placeholder('digests')}::bytea[])`,
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`)),
        sql`${accounts.passwordHash} <> ''`,
      ),
    )
    .prepare('find_key')

/** A read-only database (a full disk, for example) must not lock keys out. */
async function noteUse(executor: Executor, keyId: string): Promise<void> {
  try {
    await executor.update(apiKeys).set({ lastUsedAt: sql`now()` }).where(eq(apiKeys.id, keyId))
  } catch (error) {
    const fault = databaseFault(error)
    if (!fault || !isTransient(fault)) throw error
  }
}
