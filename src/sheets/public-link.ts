import { and, eq, isNull } from 'drizzle-orm'
import type { Peppers } from '../accounts/keys/pepper.ts'
import { linkDigest, linkToken, newLink } from '../accounts/public-links/link-token.ts'
import type { Executor } from '../db/client.ts'
import { accounts, sourceSheets } from '../db/schema/index.ts'
import { changeSheet, type StoredSheet } from './store.ts'

/**
 * Gives a sheet a public link: whoever has the token can read the sheet as it is at that moment. A sheet that has one
 * keeps it.
 * @throws ServiceError `not_found`.
 */
export function shareSheet(
  executor: Executor,
  peppers: Peppers,
  owner: { readonly accountId: string },
  id: string,
): Promise<StoredSheet> {
  return changeSheet(executor, owner, id, (sheet) => {
    if (sheet.linkDigest !== null) return {}
    const { digest, seed } = newLink(peppers)
    return { linkDigest: digest, linkSeed: seed }
  })
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
  return changeSheet(executor, owner, id, () => ({ linkDigest: null, linkSeed: null }))
}

/** The public link of a sheet, for its owner. Undefined without one; `token` if its address cannot be shown again. */
export function linkOfSheet(
  peppers: Peppers,
  { linkDigest: digest, linkSeed: seed }: StoredSheet,
): { readonly token: string | undefined } | undefined {
  return digest === null ? undefined : { token: linkToken(peppers, { digest, seed }) }
}

/**
 * The sheet of a public link; undefined for a token that was revoked or never existed, and while its account is
 * suspended.
 * @param system sees every account, because the reader has none.
 */
export async function findSharedSheet(system: Executor, token: string): Promise<StoredSheet | undefined> {
  const digest = linkDigest(token)
  if (!digest) return undefined
  const [found] = await system
    .select({ sheet: sourceSheets })
    .from(sourceSheets)
    .innerJoin(accounts, eq(accounts.id, sourceSheets.accountId))
    .where(and(eq(sourceSheets.linkDigest, digest), isNull(accounts.suspendedAt)))
  return found?.sheet
}
