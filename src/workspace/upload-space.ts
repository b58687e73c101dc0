import { and, eq, gt, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { fileChunks, fileVersions } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import type { VersionKey } from './content.ts'
import { lockStorage, roomFor, type StorageLimits } from './quota.ts'

/** Maximum number of running uploads per account, over all replicas. */
export const uploadsAtOnce = 16

/** An upload without bytes for this time belongs to a dead process and no longer counts. */
const silentMinutes = 5

/** Bytes that an upload of unknown length reserves at a time. */
const stepBytes = 16 * 1024 * 1024

/**
 * Begins an upload: creates an unlisted version and reserves the announced bytes, if there is space. The row's `bytes` is
 * the size of the space, which counts as stored.
 * @param announced maximum number of bytes; undefined when the sender does not say.
 * @throws ServiceError `rate_limit_exceeded` when the account has too many running uploads.
 */
export async function openUploadSpace(
  database: Database,
  version: VersionKey,
  contentType: string,
  limits: StorageLimits,
  announced: number | undefined,
) {
  let reserved = await withTx(database, version, async (tx) => {
    await lockStorage(tx, version.accountId)
    await requireSlot(tx, version.accountId)
    const room = await roomFor(tx, version.accountId, limits)
    const bytes = Math.max(0, Math.min(announced ?? stepBytes, room))
    await tx.insert(fileVersions).values({ ...version, version: 1, state: 'uploading', contentType, bytes })
    return bytes
  })
  const ownRow = eq(fileVersions.id, version.id)
  return {
    /**
     * Reserves space for this total.
     * @returns false when there is not enough. Then the whole reservation is released.
     */
    async fits(bytes: number): Promise<boolean> {
      if (bytes <= reserved) return true
      reserved = await withTx(database, version, async (tx) => {
        await lockStorage(tx, version.accountId)
        const room = await roomFor(tx, version.accountId, limits, version.id)
        const held = bytes > room ? 0 : Math.min(bytes + stepBytes, room)
        if (held === 0) await tx.delete(fileChunks).where(eq(fileChunks.versionId, version.id))
        await tx.update(fileVersions).set({ bytes: held }).where(ownRow)
        return held
      })
      return bytes <= reserved
    },
    /** Records that bytes still arrive, for the other replicas. */
    async noteProgress(executor: Executor): Promise<void> {
      await executor.update(fileVersions).set({ createdAt: sql`now()` }).where(ownRow)
    },
  }
}

/**
 * The caller holds the storage lock.
 * @throws ServiceError `rate_limit_exceeded` when the account has too many running uploads.
 */
async function requireSlot(executor: Executor, accountId: string): Promise<void> {
  const [row] = await executor
    .select({ count: sql<number>`count(*)::int` })
    .from(fileVersions)
    .where(
      and(
        eq(fileVersions.accountId, accountId),
        eq(fileVersions.state, 'uploading'),
        gt(fileVersions.createdAt, sql`now() - make_interval(mins => ${silentMinutes})`),
      ),
    )
  if ((row?.count ?? 0) < uploadsAtOnce) return
  throw new ServiceError(
    'rate_limit_exceeded',
    `${uploadsAtOnce} uploads of this account are in progress, which is the maximum. Wait for one of them to end.`,
    { retryAfterSeconds: 5 },
  )
}
