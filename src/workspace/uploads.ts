import { eq } from 'drizzle-orm'
import { type Executor, withTx } from '../db/client.ts'
import { fileVersions } from '../db/schema/index.ts'
import { newId } from '../ids.ts'
import { type FileStores, storeStream } from './content.ts'
import { type FilePlace, findByName, insertFile, type StoredFile } from './files.ts'
import { newLocation } from './object-store.ts'
import { lockStorage, requireRoom, type StorageLimits, tooLarge } from './quota.ts'
import { openUploadSpace } from './upload-space.ts'
import { listVersion, lockNames, type StoredVersion, showVersion, storeVersion } from './writing.ts'

/** A completely received upload. */
export type ReceivedUpload = StoredVersion & { readonly name: string; readonly contentType: string }

/**
 * Receives the bytes of an upload; they count towards the account's storage at once. The version is listed after
 * `sealUpload`. `dropUpload` deletes it; a failed upload is deleted automatically.
 * @throws ServiceError `file_too_large` after all bytes have arrived, when the account has no space;
 * `rate_limit_exceeded` before any bytes, when too many uploads are running; `file_store_unavailable`.
 */
export async function receiveUpload(
  stores: FileStores,
  account: { readonly accountId: string },
  limits: StorageLimits,
  upload: {
    readonly name: string
    readonly contentType: string
    readonly content: AsyncIterable<Uint8Array>
    /** Maximum size of the file in bytes, from the `Content-Length` header. Undefined without that header. */
    readonly announced: number | undefined
  },
): Promise<ReceivedUpload> {
  const { name, contentType } = upload
  const { accountId } = account
  const url = stores.objects?.url
  const version = { id: newId('file'), accountId, location: url ? newLocation(url, accountId) : null }
  const space = await openUploadSpace(stores.database, version, contentType, limits, upload.announced)
  try {
    const { bytes, sha256 } = await storeStream(stores, version, upload.content, space)
    if (sha256 === undefined) throw tooLarge(limits, bytes)
    const sealed = { bytes, sha256 }
    return { versionId: version.id, name, contentType, sealed }
  } catch (error) {
    await dropUpload(stores, account, version.id)
    throw error
  }
}

/**
 * Turns a received upload into a file of the project, in the caller's transaction.
 * @throws ServiceError `file_too_large` when the account's plan has no space for it.
 */
export async function sealUpload(
  executor: Executor,
  place: FilePlace,
  limits: StorageLimits,
  upload: ReceivedUpload & { readonly id?: string },
  purpose: string,
): Promise<StoredFile> {
  await lockStorage(executor, place.accountId)
  await requireRoom(executor, place.accountId, limits, upload.sealed.bytes, upload.versionId)
  const file = await insertFile(executor, place, { ...upload, purpose }, upload.sealed)
  await listVersion(executor, upload, file)
  return file
}

/**
 * Turns a received upload into a new version of the newest file of the project with its name, in the caller's
 * transaction; into a file, if there is none. Older versions stay.
 * @throws ServiceError `file_too_large` when the account's plan has no space for it.
 */
export async function sealAsVersion(
  executor: Executor,
  place: FilePlace,
  limits: StorageLimits,
  upload: ReceivedUpload,
  purpose: string,
): Promise<StoredFile> {
  const { name, contentType, sealed, versionId } = upload
  await lockNames(executor, place.projectId, [name])
  const known = await findByName(executor, place.projectId, name)
  if (!known) return sealUpload(executor, place, limits, upload, purpose)
  await lockStorage(executor, place.accountId)
  await requireRoom(executor, place.accountId, limits, sealed.bytes, versionId)
  const file = await showVersion(executor, known, { version: known.version + 1, contentType, ...sealed })
  await listVersion(executor, upload, file)
  return file
}

/**
 * Stores an upload from memory as a file, in the caller's transaction.
 * @throws ServiceError `file_too_large` when the account's plan has no space for it.
 */
export async function storeUpload(
  executor: Executor,
  place: FilePlace,
  limits: StorageLimits,
  upload: {
    readonly id: string
    readonly name: string
    readonly contentType: string
    readonly content: Buffer
  },
): Promise<StoredFile> {
  const { id, name, contentType, content } = upload
  const stored = await storeVersion(executor, { ...place, runId: null }, contentType, content)
  return sealUpload(executor, place, limits, { id, name, contentType, ...stored }, 'user_data')
}

export async function dropUpload(
  { database }: Pick<FileStores, 'database'>,
  account: { readonly accountId: string },
  versionId: string,
): Promise<void> {
  await withTx(database, account, (tx) => tx.delete(fileVersions).where(eq(fileVersions.id, versionId)))
}
