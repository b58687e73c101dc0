import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { fileVersions } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'

/** Storage limits of an account's plan; `name` is the name of the plan. */
export type StorageLimits = {
  readonly name: string
  readonly storedBytes: number
  readonly fileBytes: number
}

/**
 * Locks the account's storage until the transaction ends. Take it before storing anything; otherwise two uploads
 * could both find the same free space.
 */
export async function lockStorage(executor: Executor, accountId: string): Promise<void> {
  await executor.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`storage/${accountId}`}, 0))`)
}

/**
 * @param own id of the requesting upload, whose own reservation is not counted.
 * @throws ServiceError `file_too_large` when the account has no space for a file of this size.
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
 * The maximum size of a file that the account can store now. Reservations of other uploads are subtracted.
 * @param own id of the requesting upload, which is not counted.
 */
export async function roomFor(
  executor: Executor,
  accountId: string,
  limits: StorageLimits,
  own = '',
): Promise<number> {
  const stored = await storedBytes(executor, accountId)
  const reserved = await bytesWhere(
    executor,
    eq(fileVersions.accountId, accountId),
    eq(fileVersions.state, 'uploading'),
    ne(fileVersions.id, own),
  )
  return Math.min(limits.fileBytes, limits.storedBytes - stored - reserved)
}

/** The error that names the rule of the plan for which a file is too large. */
export function tooLarge(limits: StorageLimits, bytes: number): ServiceError {
  const message =
    bytes > limits.fileBytes
      ? `The plan "${limits.name}" allows files of at most ${sizeText(limits.fileBytes)}. Choose a smaller file.`
      : `The plan "${limits.name}" stores ${sizeText(limits.storedBytes)}. Delete files to make room.`
  return new ServiceError('file_too_large', message, { param: 'file', shouldRetry: false })
}

/** Bytes of all files of an account, including older versions. */
export function storedBytes(executor: Executor, accountId: string): Promise<number> {
  return bytesWhere(executor, eq(fileVersions.accountId, accountId), eq(fileVersions.state, 'sealed'))
}

async function bytesWhere(executor: Executor, ...conditions: readonly SQL[]): Promise<number> {
  const [row] = await executor
    .select({ bytes: sql<string>`coalesce(sum(${fileVersions.bytes}), 0)` })
    .from(fileVersions)
    .where(and(...conditions))
  return Number(row?.bytes ?? 0)
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** A size such as `10 MB` for a message; a kilobyte has 1,024 bytes, as in the plans. */
function sizeText(bytes: number): string {
  const unit = bytes < 1_024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = (bytes / 1_024 ** unit).toLocaleString('en', { maximumFractionDigits: unit === 0 ? 0 : 1 })
  return `${value} ${units[unit]}`
}
