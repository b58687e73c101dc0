import { type KeySettings, noSettings } from '../../../src/accounts/keys/key-settings.ts'
import { createKey } from '../../../src/accounts/keys/keys.ts'
import { parsePeppers } from '../../../src/accounts/keys/pepper.ts'
import { builtInPlans, type Plan, type Plans } from '../../../src/accounts/plans.ts'
import type { Principal } from '../../../src/accounts/principal.ts'
import { scopes } from '../../../src/accounts/scopes.ts'
import { ensureAllowance } from '../../../src/billing/account-credits.ts'
import { type Database, withTx } from '../../../src/db/client.ts'
import { insertProject } from '../../../src/turns/sessions/projects.ts'
import type { TestDatabase } from '../database.ts'
import { fixture } from '../fixture.ts'
import { makeAccount } from '../world/accounts.ts'

/** A principal who starts turns without HTTP, in their own project and on a plan made for the test. */
export type Caller = { readonly principal: Principal; readonly plans: Plans }

export async function makeCaller(database: Database, plan: Partial<Plan> = {}): Promise<Caller> {
  const { id: accountId } = await makeAccount(database)
  const projectId = await withTx(
    database,
    'system',
    async (tx) => (await insertProject(tx, accountId, 'P')).id,
  )
  const own = { ...builtInPlans.of('pro'), ...plan }
  return {
    principal: {
      accountId,
      plan: own,
      keyId: null,
      scopes: new Set(scopes),
      binding: { kind: 'project', projectId },
    },
    plans: { names: [own.name], of: () => own },
  }
}

/** The caller of a file's tests. */
export const useCaller = (db: TestDatabase, plan: Partial<Plan> = {}): Caller =>
  fixture(() => makeCaller(db.database, plan))

/**
 * The same principal with a key that has these settings, and with this month's allowance granted, so that a start takes one
 * call.
 */
export async function withKey(
  database: Database,
  { principal }: Caller,
  settings: Partial<KeySettings> = {},
): Promise<Principal> {
  const { accountId, plan, binding } = principal
  const reach = { kind: 'project', projectId: binding.projectId ?? '' } as const
  return withTx(database, 'system', async (tx) => {
    await ensureAllowance(tx, accountId, plan)
    const { info } = await createKey(tx, parsePeppers('a pepper of this test'), accountId, {
      name: 'k',
      reach,
      settings: { ...noSettings, ...settings },
    })
    return { ...principal, keyId: info.id }
  })
}
