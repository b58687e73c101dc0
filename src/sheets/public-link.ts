import { and, eq, isNull } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { accounts, sourceSheets } from '../db/schema/index.ts'
import { randomBase62 } from '../ids.ts'
import { changeSheet, type StoredSheet } from './store.ts'

/** 32 base62 characters have 190 bits: nobody finds a sheet by guessing. */
const tokenLength = 32

/**
 * Gives a sheet a public link: whoever has the token can read the sheet as it is at that moment. A sheet that has one
 * keeps it.
 * @throws ServiceError `not_found`.
 */
export function shareSheet(
  executor: Executor,
  owner: { readonly accountId: string },
  id: string,
): Promise<StoredSheet> {
  return changeSheet(executor, owner, id, ({ publicToken }) => ({
    publicToken: publicToken ?? randomBase62(tokenLength),
  }))
}

/**
 * Revokes the public link. A later link has another token.
 * @throws ServiceError `not_found`.
 */
export function unshareSheet(
  executor: Executor,
  owner: { readonly accountId: string },
  id: string,
): Promise<StoredSheet> {
  return changeSheet(executor, owner, id, () => ({ publicToken: null }))
}

/**
 * The sheet of a public link; undefined for a token that was revoked or never existed, and while its account is
 * suspended.
 * @param system sees every account, because the reader has none.
 */
export async function findSharedSheet(system: Executor, token: string): Promise<StoredSheet | undefined> {
  if (!/^[0-9A-Za-z]{32}$/.test(token)) return undefined
  const [found] = await system
    .select({ sheet: sourceSheets })
    .from(sourceSheets)
    .innerJoin(accounts, eq(accounts.id, sourceSheets.accountId))
    .where(and(eq(sourceSheets.publicToken, token), isNull(accounts.suspendedAt)))
  return found?.sheet
}
