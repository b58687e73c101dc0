import { and, countDistinct, desc, eq } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { files, fileVersions } from '../db/schema/index.ts'
import { newId } from '../ids.ts'
import type { Sealed } from './content.ts'

export type StoredFile = typeof files.$inferSelect

/** One version of a file's content. */
export type FileVersion = typeof fileVersions.$inferSelect

/** The project of a file, and the turn that creates it, if there is one. */
export type FilePlace = {
  readonly accountId: string
  readonly projectId: string
  readonly sessionId: string | null
  readonly runId: string | null
}

export async function insertFile(
  executor: Executor,
  place: FilePlace,
  file: {
    readonly id?: string
    readonly name: string
    readonly purpose: string
    readonly contentType: string
  },
  sealed: Sealed,
): Promise<StoredFile> {
  const { id = newId('file'), name, purpose, contentType } = file
  const [row] = await executor
    .insert(files)
    .values({ ...place, id, name, purpose, contentType, version: 1, ...sealed })
    .returning()
  if (!row) throw new Error('insert returned no row')
  return row
}

/** Finds the newest file with this name in the project. */
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

/** Finds a file by id, otherwise the newest one with this name. */
export async function findByIdOrName(
  executor: Executor,
  projectId: string,
  idOrName: string,
): Promise<StoredFile | undefined> {
  const [file] = await executor
    .select()
    .from(files)
    .where(and(eq(files.projectId, projectId), eq(files.id, idOrName)))
  return file ?? findByName(executor, projectId, idOrName)
}

/** Maximum number of files in one list. */
const maxListed = 500

/**
 * Lists a project's files for the agent, newest first. Of files with equal names only the newest is listed, because
 * the name means that one. `more` counts the names beyond the first 500 files.
 */
export async function listByName(
  executor: Executor,
  projectId: string,
): Promise<{ readonly files: readonly StoredFile[]; readonly more: number }> {
  const ofProject = eq(files.projectId, projectId)
  const newest = executor
    .selectDistinctOn([files.name])
    .from(files)
    .where(ofProject)
    .orderBy(files.name, desc(files.createdAt), desc(files.id))
    .as('newest')
  const found = await executor
    .select()
    .from(newest)
    .orderBy(desc(newest.createdAt), desc(newest.id))
    .limit(maxListed)
  if (found.length < maxListed) return { files: found, more: 0 }
  const [all] = await executor
    .select({ names: countDistinct(files.name) })
    .from(files)
    .where(ofProject)
  return { files: found, more: Math.max(0, (all?.names ?? 0) - found.length) }
}

/** Finds one version of a file; default: the newest. Undefined when there is no version with this number. */
export async function findVersion(
  executor: Executor,
  file: Pick<StoredFile, 'id' | 'version'>,
  number = file.version,
): Promise<FileVersion | undefined> {
  const [version] = await executor
    .select()
    .from(fileVersions)
    .where(and(eq(fileVersions.fileId, file.id), eq(fileVersions.version, number)))
  return version
}

/** The versions of a file, newest first. */
export function listVersions(executor: Executor, fileId: string, limit: number): Promise<FileVersion[]> {
  return executor
    .select()
    .from(fileVersions)
    .where(eq(fileVersions.fileId, fileId))
    .orderBy(desc(fileVersions.version))
    .limit(limit)
}

/** Deletes a file with all its versions. */
export async function deleteFile(executor: Executor, fileId: string): Promise<void> {
  await executor.delete(files).where(eq(files.id, fileId))
}
