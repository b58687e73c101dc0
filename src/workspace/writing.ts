import { eq, sql } from 'drizzle-orm'
import type { FileChange } from '../agent/tools.ts'
import type { Executor } from '../db/client.ts'
import { files, fileVersions } from '../db/schema/index.ts'
import { invalidValue, ServiceError } from '../errors.ts'
import { newId } from '../ids.ts'
import { type Sealed, storeBuffer } from './content.ts'
import { contentTypeOf } from './documents/file-names.ts'
import { type FilePlace, findByName, insertFile, type StoredFile } from './files.ts'
import { lockStorage, requireRoom, type StorageLimits } from './quota.ts'

/**
 * Writes a content under a name in the project: a new file, or a new version of the newest file with that name. Older
 * versions stay. A lock serialises two turns that write the same name.
 * @throws ServiceError `file_too_large` when the account's plan has no space for it.
 */
export async function writeContent(
  executor: Executor,
  place: FilePlace,
  limits: StorageLimits,
  name: string,
  content: Buffer,
): Promise<FileChange> {
  await lockNames(executor, place.projectId, [name])
  await lockStorage(executor, place.accountId)
  await requireRoom(executor, place.accountId, limits, content.length)
  const known = await findByName(executor, place.projectId, name)
  const contentType = contentTypeOf(name)
  const stored = await storeVersion(executor, place, contentType, content)
  const { sealed } = stored
  const file = known
    ? await showVersion(executor, known, { version: known.version + 1, contentType, ...sealed })
    : await insertFile(executor, place, { name, purpose: 'assistants_output', contentType }, sealed)
  await listVersion(executor, stored, file)
  return changeOf(file, known ? 'updated' : 'created')
}

/** A content that is stored completely, in a version that no file lists yet. */
export type StoredVersion = { readonly versionId: string; readonly sealed: Sealed }

/** Stores a content from memory. */
export async function storeVersion(
  executor: Executor,
  { accountId, runId }: Pick<FilePlace, 'accountId' | 'runId'>,
  contentType: string,
  content: Buffer,
): Promise<StoredVersion> {
  const version = { id: newId('file'), accountId }
  await executor
    .insert(fileVersions)
    .values({ ...version, version: 1, state: 'uploading', contentType, runId })
  return { versionId: version.id, sealed: await storeBuffer(executor, version, content) }
}

/** Makes a stored content the newest version of a file. It gets the time of this moment, because it was not listed before. */
export async function listVersion(
  executor: Executor,
  { versionId, sealed }: StoredVersion,
  { id, version }: StoredFile,
): Promise<void> {
  await executor
    .update(fileVersions)
    .set({ fileId: id, version, state: 'sealed', createdAt: sql`now()`, ...sealed })
    .where(eq(fileVersions.id, versionId))
}

/** Shows a sealed version as the newest one of its file. */
export async function showVersion(
  executor: Executor,
  file: StoredFile,
  shown: Sealed & Pick<StoredFile, 'version' | 'contentType'>,
): Promise<StoredFile> {
  await executor
    .update(files)
    .set({ ...shown, updatedAt: sql`now()` })
    .where(eq(files.id, file.id))
  return { ...file, ...shown }
}

/**
 * Renames the newest file with this name.
 * @throws ServiceError `not_found` when there is none, `invalid_value` when the new name is in use.
 */
export async function renameFile(
  executor: Executor,
  projectId: string,
  name: string,
  newName: string,
): Promise<FileChange> {
  await lockNames(executor, projectId, [name, newName])
  const file = await findByName(executor, projectId, name)
  if (!file)
    throw new ServiceError('not_found', `There is no file "${name}". The list of files has the names.`)
  return giveName(executor, file, newName)
}

/**
 * Renames this file, even if others have the same name.
 * @throws ServiceError `invalid_value` when the new name is in use.
 */
export async function renameThisFile(executor: Executor, file: StoredFile, newName: string): Promise<void> {
  if (newName === file.name) return
  await lockNames(executor, file.projectId, [file.name, newName])
  await giveName(executor, file, newName)
}

async function giveName(executor: Executor, file: StoredFile, newName: string): Promise<FileChange> {
  if (await findByName(executor, file.projectId, newName)) {
    throw invalidValue(`A file "${newName}" exists already. Choose another name.`, 'name')
  }
  await executor.update(files).set({ name: newName, updatedAt: sql`now()` }).where(eq(files.id, file.id))
  return changeOf({ ...file, name: newName }, 'updated')
}

function changeOf(file: StoredFile, action: FileChange['action']): FileChange {
  const { id, name: filename, bytes, contentType } = file
  return { id, filename, bytes, contentType, action }
}

/**
 * Locks names until the transaction ends. Several names are locked in sorted order; otherwise two turns could
 * deadlock.
 */
export async function lockNames(
  executor: Executor,
  projectId: string,
  names: readonly string[],
): Promise<void> {
  for (const name of [...names].sort()) {
    await executor.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${projectId}/${name}`}, 0))`)
  }
}
