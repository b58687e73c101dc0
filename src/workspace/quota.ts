import { and, eq, ne, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { fileVersions } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'

/** How much an account's plan lets it store; `name` is the plan's. */
export type StorageLimits = {
  readonly name: string
  readonly storedBytes: number
  readonly fileBytes: number
}

/**
 * Held until the transaction ends. Whoever is about to store something takes it first: two that look at once would
 * both find the same room.
 */
export async function lockStorage(executor: Executor, accountId: string): Promise<void> {
  await executor.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`storage/${accountId}`}, 0))`)
}

/**
 * @param own the upload that asks: what it reserved does not count.
 * @throws ServiceError `file_too_large` when the account has no room for a file of so many bytes.
 */
export async function requireRoom(
  executor: Executor,
  accountId: string,
  limits: StorageLimits,
  bytes: number,
  own = '',
): Promise<void> {
  if (bytes > (await roomFor(executor, accountId, limits, own))) throw tooLarge(limits, bytes)
}

/**
 * The largest file that the account may store now. Uploads under way count with what they reserved.
 * @param own the upload that asks, which does not count.
 */
export async function roomFor(
  executor: Executor,
  accountId: string,
  limits: StorageLimits,
  own = '',
): Promise<number> {
  const taken = (await storedBytes(executor, accountId)) + (await reservedBytes(executor, accountId, own))
  return Math.min(limits.fileBytes, limits.storedBytes - taken)
}

/** Says by which of its rules the plan has no room for a file of so many bytes. */
export function tooLarge(limits: StorageLimits, bytes: number): ServiceError {
  const message =
    bytes > limits.fileBytes
      ? `The plan "${limits.name}" allows files of at most ${limits.fileBytes} bytes.`
      : `The plan "${limits.name}" stores ${limits.storedBytes} bytes; delete files to make room.`
  return new ServiceError('file_too_large', message, { param: 'file', shouldRetry: false })
}

/** What uploads under way have reserved, apart from one of them. */
async function reservedBytes(executor: Executor, accountId: string, apartFrom: string): Promise<number> {
  const [row] = await executor
    .select({ bytes: sql<string>`coalesce(sum(${fileVersions.bytes}), 0)` })
    .from(fileVersions)
    .where(
      and(
        eq(fileVersions.accountId, accountId),
        eq(fileVersions.state, 'uploading'),
        ne(fileVersions.id, apartFrom),
      ),
    )
  return Number(row?.bytes ?? 0)
}

/** Bytes that an account's files take, older versions included. */
export async function storedBytes(executor: Executor, accountId: string): Promise<number> {
  const [row] = await executor
    .select({ bytes: sql<string>`coalesce(sum(${fileVersions.bytes}), 0)` })
    .from(fileVersions)
    .where(and(eq(fileVersions.accountId, accountId), eq(fileVersions.state, 'sealed')))
  return Number(row?.bytes ?? 0)
}
