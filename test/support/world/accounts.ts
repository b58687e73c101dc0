import { type Account, accountColumns } from '../../../src/accounts/accounts.ts'
import { type KeySettings, noSettings } from '../../../src/accounts/keys/key-settings.ts'
import { createKey, type KeyReach } from '../../../src/accounts/keys/keys.ts'
import { parsePeppers } from '../../../src/accounts/keys/pepper.ts'
import { hashPassword } from '../../../src/accounts/passwords/passwords.ts'
import { builtInPlans, type Plans } from '../../../src/accounts/plans.ts'
import { type Database, withTx } from '../../../src/db/client.ts'
import { accounts } from '../../../src/db/schema/index.ts'
import { newId } from '../../../src/ids.ts'
import { insertProject } from '../../../src/turns/sessions/projects.ts'

export const pepperText = 'a pepper for tests only'
export const testPeppers = parsePeppers(pepperText)

let accountsMade = 0
let passwordHash: Promise<string> | undefined

/**
 * Creates an account with a unique email address. No test signs in with the password, so a process hashes it
 * once.
 */
export async function makeAccount(
  database: Database,
  plan = 'pro',
  plans: Plans = builtInPlans,
): Promise<Account> {
  accountsMade += 1
  const email = `person-${accountsMade}-${Date.now()}@example.org`
  plans.of(plan)
  passwordHash ??= hashPassword('correct horse battery')
  const values = { id: newId('account'), email, plan, passwordHash: await passwordHash }
  const [account] = await withTx(database, 'system', (tx) =>
    tx.insert(accounts).values(values).returning(accountColumns),
  )
  if (!account) throw new Error('insert returned no row')
  return account
}

/**
 * Creates a key.
 * @returns its text.
 */
export async function makeKey(
  database: Database,
  accountId: string,
  options: {
    readonly reach?: KeyReach
    readonly scopes?: readonly string[]
    readonly expiresAt?: Date
    /** Those that the key has. */
    readonly settings?: Partial<KeySettings>
  } = {},
): Promise<string> {
  const settings = { ...noSettings, ...options.settings }
  const input = { name: 'test', reach: { kind: 'dedicated' } as const, ...options, settings }
  const { key } = await withTx(database, 'system', (tx) => createKey(tx, testPeppers, accountId, input))
  return key
}

export async function makeProject(
  database: Database,
  accountId: string,
  name = 'A project',
): Promise<string> {
  return (await withTx(database, 'system', (tx) => insertProject(tx, accountId, name))).id
}
