import { and, desc, eq, sql } from 'drizzle-orm'
import type { FileChange } from '../agent/tools.ts'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { files, fileVersions } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { newId } from '../ids.ts'
import { readBuffer, type Sealed, storeBuffer, storedBytes, storeStream } from './content.ts'
import { contentTypeOf } from './file-names.ts'

export type StoredFile = typeof files.$inferSelect

/** Where a file belongs: always to a project, and to the turn that makes it when one does. */
export type FilePlace = {
  readonly accountId: string
  readonly projectId: string
  readonly sessionId: string | null
  readonly runId: string | null
}

/** How much an account's plan lets it store; `name` is the plan's. */
export type StorageLimits = {
  readonly name: string
  readonly storedBytes: number
  readonly fileBytes: number
}

/** The version of a file that is shown. */
export async function newestVersion(executor: Executor, file: StoredFile): Promise<string> {
  const [version] = await executor
    .select({ id: fileVersions.id })
    .from(fileVersions)
    .where(and(eq(fileVersions.fileId, file.id), eq(fileVersions.version, file.version)))
  if (!version) throw new Error(`file ${file.id} has no version ${file.version}`)
  return version.id
}

/** An upload whose bytes have come, under a version that nothing shows yet. */
export type ReceivedUpload = {
  readonly versionId: string
  readonly name: string
  readonly contentType: string
  readonly sealed: Sealed
}

/**
 * Receives the bytes of an upload as they arrive. Nothing shows them until `sealUpload`; `dropUpload` removes them,
 * and when receiving fails midway that has been done.
 */
export async function receiveUpload(
  database: Database,
  account: { readonly accountId: string },
  upload: {
    readonly name: string
    readonly contentType: string
    readonly content: AsyncIterable<Uint8Array>
    /** Asked when all bytes have come: true when the parser cut the file off at its limit. */
    readonly truncated: () => boolean
  },
): Promise<ReceivedUpload> {
  const { name, contentType } = upload
  const version = { id: newId('file'), accountId: account.accountId }
  await withTx(database, account, (tx) =>
    tx.insert(fileVersions).values({ ...version, version: 1, state: 'uploading', contentType }),
  )
  try {
    const sealed = await storeStream(database, version, upload.content)
    if (upload.truncated()) throw tooLarge('The file is larger than the plan of this account allows.')
    return { versionId: version.id, name, contentType, sealed }
  } catch (error) {
    await dropUpload(database, account, version.id)
    throw error
  }
}

/**
 * Makes a received upload a file of the project, in the caller's transaction.
 * @throws ServiceError `file_too_large` when the account's plan has no room for it.
 */
export async function sealUpload(
  executor: Executor,
  place: FilePlace,
  limits: StorageLimits,
  upload: ReceivedUpload,
  purpose: string,
): Promise<StoredFile> {
  await requireRoom(executor, place.accountId, limits, upload.sealed.bytes)
  const file = await insertFile(executor, place, { ...upload, purpose }, upload.sealed)
  await executor
    .update(fileVersions)
    .set({ fileId: file.id, state: 'sealed', ...upload.sealed })
    .where(eq(fileVersions.id, upload.versionId))
  return file
}

export async function dropUpload(
  database: Database,
  account: { readonly accountId: string },
  versionId: string,
): Promise<void> {
  await withTx(database, account, (tx) => tx.delete(fileVersions).where(eq(fileVersions.id, versionId)))
}

async function insertFile(
  executor: Executor,
  place: FilePlace,
  file: { readonly name: string; readonly purpose: string; readonly contentType: string },
  sealed: Sealed,
): Promise<StoredFile> {
  const { name, purpose, contentType } = file
  const [row] = await executor
    .insert(files)
    .values({ ...place, id: newId('file'), name, purpose, contentType, version: 1, ...sealed })
    .returning()
  if (!row) throw new Error('insert returned no row')
  return row
}

/**
 * Writes a text under a name in the project: a new file, or a new version of the newest file of that name. Older
 * versions stay. Two turns that write one name at once take turns.
 */
export async function writeText(
  executor: Executor,
  place: FilePlace,
  limits: StorageLimits,
  name: string,
  text: string,
): Promise<FileChange> {
  await lockName(executor, place.projectId, name)
  const content = Buffer.from(text)
  await requireRoom(executor, place.accountId, limits, content.length)
  const known = await findByName(executor, place.projectId, name)
  const contentType = known?.contentType ?? contentTypeOf(name)
  const version = { id: newId('file'), accountId: place.accountId }
  const number = (known?.version ?? 0) + 1
  await executor
    .insert(fileVersions)
    .values({ ...version, version: number, state: 'uploading', contentType, runId: place.runId })
  const sealed = await storeBuffer(executor, version, content)
  const file = known
    ? await updateFile(executor, known, number, sealed)
    : await insertFile(executor, place, { name, purpose: 'assistants_output', contentType }, sealed)
  await executor
    .update(fileVersions)
    .set({ fileId: file.id, state: 'sealed', ...sealed })
    .where(eq(fileVersions.id, version.id))
  return {
    id: file.id,
    filename: file.name,
    bytes: sealed.bytes,
    contentType: file.contentType,
    action: known ? 'updated' : 'created',
  }
}

async function updateFile(
  executor: Executor,
  file: StoredFile,
  version: number,
  sealed: Sealed,
): Promise<StoredFile> {
  await executor
    .update(files)
    .set({ version, ...sealed, updatedAt: sql`now()` })
    .where(eq(files.id, file.id))
  return { ...file, version, ...sealed }
}

/** Held until the transaction ends. */
export async function lockName(executor: Executor, projectId: string, name: string): Promise<void> {
  await executor.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${projectId}/${name}`}, 0))`)
}

/** The newest file of that name in the project. */
export async function findByName(
  executor: Executor,
  projectId: string,
  name: string,
): Promise<StoredFile | undefined> {
  const [file] = await executor
    .select()
    .from(files)
    .where(and(eq(files.projectId, projectId), eq(files.name, name)))
    .orderBy(desc(files.createdAt), desc(files.id))
    .limit(1)
  return file
}

/** Names and sizes of a project's files, the newest of each name, for the agent. */
export async function listByName(executor: Executor, projectId: string): Promise<StoredFile[]> {
  const rows = await executor
    .select()
    .from(files)
    .where(eq(files.projectId, projectId))
    .orderBy(desc(files.createdAt), desc(files.id))
    .limit(500)
  const names = new Set<string>()
  return rows.filter((file) => !names.has(file.name) && names.add(file.name))
}

/** Removes a file with all its versions. */
export async function deleteFile(executor: Executor, fileId: string): Promise<void> {
  await executor.delete(files).where(eq(files.id, fileId))
}

/** A file's text; undefined when its bytes are no valid UTF-8. */
export async function readText(executor: Executor, file: StoredFile): Promise<string | undefined> {
  const content = await readBuffer(executor, await newestVersion(executor, file))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}

async function requireRoom(
  executor: Executor,
  accountId: string,
  limits: StorageLimits,
  bytes: number,
): Promise<void> {
  if (bytes > limits.fileBytes) {
    throw tooLarge(`The plan "${limits.name}" allows files of at most ${limits.fileBytes} bytes.`)
  }
  if ((await storedBytes(executor, accountId)) + bytes > limits.storedBytes) {
    throw tooLarge(`The plan "${limits.name}" stores ${limits.storedBytes} bytes; delete files to make room.`)
  }
}

function tooLarge(message: string): ServiceError {
  return new ServiceError('file_too_large', message, { param: 'file', shouldRetry: false })
}
