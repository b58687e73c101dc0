import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { apiKeys } from '../../db/schema/index.ts'
import { unknownCursor } from '../../errors.ts'
import { findKey, findKeyOfAny, type KeyInfo, keyColumns } from './keys.ts'

export const keyStates = ['active', 'expired', 'revoked'] as const
export type KeyState = (typeof keyStates)[number]

export type KeyFilter = {
  /** A part of the name or of the shown characters of a key; empty for any. */
  readonly q: string
  /** Empty for any. */
  readonly state: '' | KeyState
  /** Only keys that this member made. Undefined: of all. */
  readonly createdBy?: string | undefined
}

const inState: Readonly<Record<KeyState, SQL>> = {
  active: sql`revoked_at is null and (expires_at is null or expires_at > now())`,
  expired: sql`revoked_at is null and expires_at <= now()`,
  revoked: sql`revoked_at is not null`,
}

/** How many keys of an account neither are revoked nor have expired. */
export function countActiveKeys(executor: Executor, accountId: string): Promise<number> {
  return executor.$count(apiKeys, and(eq(apiKeys.accountId, accountId), inState.active))
}

/**
 * One page of the keys of an account, newest first. An account can have any number of keys.
 * @param accountId undefined: the keys of all accounts.
 * @param after id of the last key of the page before.
 * @throws ServiceError `invalid_value` if there is no key `after`.
 */
export async function findKeys(
  executor: Executor,
  accountId: string | undefined,
  { q, state, createdBy }: KeyFilter,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<{ readonly items: readonly KeyInfo[]; readonly hasMore: boolean }> {
  const find = (id: string) =>
    accountId === undefined ? findKeyOfAny(executor, id) : findKey(executor, accountId, id)
  if (after !== undefined && !(await find(after))) throw unknownCursor()
  const text = sql`lower(${apiKeys.name} || ' ' || ${apiKeys.prefix} || '…' || ${apiKeys.lastFour})`
  const older = sql`(${apiKeys.createdAt}, ${apiKeys.id}) <
    (select k.created_at, k.id from api_keys k where k.id = ${after})`
  const rows = await executor
    .select(keyColumns)
    .from(apiKeys)
    .where(
      and(
        accountId === undefined ? undefined : eq(apiKeys.accountId, accountId),
        createdBy === undefined ? undefined : eq(apiKeys.createdBy, createdBy),
        q === '' ? undefined : sql`strpos(${text}, lower(${q})) > 0`,
        state === '' ? undefined : inState[state],
        after === undefined ? undefined : older,
      ),
    )
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
    .limit(limit + 1)
  return { items: rows.slice(0, limit), hasMore: rows.length > limit }
}
