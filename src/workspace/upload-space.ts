import { and, eq, gt, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { fileChunks, fileVersions } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import type { VersionKey } from './content.ts'
import { lockStorage, roomFor, type StorageLimits } from './quota.ts'

/** Uploads of an account that may be under way at once, over all replicas. */
export const uploadsAtOnce = 16

/** One whose last bytes came longer ago belongs to a process that died: it takes no slot any longer. */
const silentMinutes = 5

/** What an upload of unknown length reserves at a time. */
const stepBytes = 16 * 1024 * 1024

/** The space that an upload holds while its bytes arrive; the row's `bytes` say how much, and count as stored. */
export type UploadSpace = {
  /** Makes room for so many bytes in all. @returns false when there is none: then all that was held is released. */
  fits(bytes: number): Promise<boolean>
  /** Shows the other replicas that bytes still arrive. */
  noteProgress(executor: Executor): Promise<void>
}

/**
 * Begins an upload: a version that nothing shows yet, with room for the announced bytes as far as there is room.
 * @param announced bytes that are to come at most; undefined when the sender does not say.
 * @throws ServiceError `rate_limit_exceeded` when too many uploads of the account are under way.
 */
export async function openUploadSpace(
  database: Database,
  version: VersionKey,
  contentType: string,
  limits: StorageLimits,
  announced: number | undefined,
): Promise<UploadSpace> {
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
    async fits(bytes) {
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
    async noteProgress(executor) {
      await executor.update(fileVersions).set({ createdAt: sql`now()` }).where(ownRow)
    },
  }
}

/** @throws ServiceError `rate_limit_exceeded`. The caller holds the storage lock. */
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
    `${uploadsAtOnce} uploads of this account are under way, which is the limit. Wait for one of them to end.`,
    { retryAfterSeconds: 5 },
  )
}
