import { and, count, eq, gt, isNull, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { ConfigError } from '../../config.ts'
import type { Executor } from '../../db/client.ts'
import { apiKeys, keyPeppers } from '../../db/schema/index.ts'
import { digestKey, type Pepper, type Peppers } from './pepper.ts'

/** No key has this text, because keys start with `svc_`. */
const checkedText = 'the secret of this version'

/**
 * Stores a check value for each secret on first use, and compares it later. A secret may change once all its
 * keys are revoked or expired.
 * @throws ConfigError if working keys were created with a different secret. All of them would otherwise be
 *   rejected as unknown.
 */
export async function requireSamePeppers(executor: Executor, peppers: Peppers): Promise<void> {
  for (const pepper of peppers) await requireSame(executor, pepper)
}

async function requireSame(executor: Executor, pepper: Pepper): Promise<void> {
  const check = digestKey(checkedText, pepper)
  const row = { version: pepper.version, check }
  await executor.insert(keyPeppers).values(row).onConflictDoNothing()
  const ofVersion = eq(keyPeppers.version, pepper.version)
  const [known] = await executor.select().from(keyPeppers).where(ofVersion)
  if (known?.check.equals(check)) return
  const keys = await workingKeys(executor, pepper.version)
  if (keys > 0) throw new ConfigError(mismatch(pepper.version, keys))
  await executor.update(keyPeppers).set({ check }).where(ofVersion)
}

function workingKeys(executor: Executor, version: number): Promise<number> {
  return keysWhere(executor, eq(apiKeys.pepperVersion, version))
}

/** Number of keys that were neither revoked nor expired, but of whose secret the setting has no version. */
export function keysWithoutPepper(executor: Executor, peppers: Peppers): Promise<number> {
  const versions = peppers.map(({ version }) => version)
  return keysWhere(executor, notInArray(apiKeys.pepperVersion, versions))
}

async function keysWhere(executor: Executor, condition: SQL): Promise<number> {
  const unexpired = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`))
  const [found] = await executor
    .select({ n: count() })
    .from(apiKeys)
    .where(and(condition, isNull(apiKeys.revokedAt), unexpired))
  return found?.n ?? 0
}

function mismatch(version: number, keys: number): string {
  const next = version + 1
  return `KEY_PEPPER is not the secret that ${keys} API ${keys === 1 ? 'key was' : 'keys were'} made with, so none of them would work. Put the former one back (with the embedded database: remove KEY_PEPPER from .env), or add a new one with KEY_PEPPER=${next}:new,${version}:former. If the former one is lost, set KEY_PEPPER=${next}:new and make new keys.`
}
