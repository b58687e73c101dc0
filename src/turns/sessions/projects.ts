import { and, asc, eq } from 'drizzle-orm'
import { lockAccount } from '../../accounts/accounts.ts'
import { recordOwnAction } from '../../accounts/audit.ts'
import type { Principal } from '../../accounts/principal.ts'
import { instructionText } from '../../agent/prompts/prompts.ts'
import { estimateTokens } from '../../agent/tokens.ts'
import type { Executor } from '../../db/client.ts'
import { apiKeys, projectInstructions, projects } from '../../db/schema/index.ts'
import { notFound } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { requiredName } from '../../names/names.ts'
import { type Page, type PageRequest, pageOf } from '../run/paging.ts'
import { finderIn, visibleTo } from '../run/visibility.ts'

export type Project = typeof projects.$inferSelect

/** @param instructions what models are told in its turns. Callers bound its length, as that of all texts. */
export async function createProject(
  executor: Executor,
  principal: Principal,
  name: string,
  instructions: string | null = null,
): Promise<Project> {
  const project = await insertProject(executor, principal.accountId, requiredName(name))
  return instructions === null ? project : setInstructions(executor, project, instructions)
}

export async function insertProject(executor: Executor, accountId: string, name: string): Promise<Project> {
  const [project] = await executor
    .insert(projects)
    .values({ id: newId('project'), accountId, name })
    .returning()
  if (!project) throw new Error('insert returned no row')
  return project
}

export function listProjects(
  executor: Executor,
  principal: Principal,
  page: PageRequest,
): Promise<Page<Project>> {
  return pageOf(executor, projects, visibleTo(principal, projects), page)
}

export const findProject = finderIn(projects)

/**
 * Like `findProject`, but the project cannot be deleted until the transaction ends. For callers that add
 * something to the project.
 */
export const lockProject = finderIn(projects, 'key share')

const findForChange = finderIn(projects, 'no key update')

/** What can be changed of a project. Null removes its instructions. */
export type ProjectChanges = {
  readonly name?: string | undefined
  readonly instructions?: string | null | undefined
}

/**
 * Renames a project, or changes its instructions for the turns that start from then on. Its contents do not change.
 * @throws ServiceError `missing_scope` for a key that is bound to a project, `not_found`, and what `requiredName` throws.
 */
export async function changeProject(
  executor: Executor,
  principal: Principal,
  id: string,
  { name, instructions }: ProjectChanges,
): Promise<Project> {
  const found = await findForChange(executor, principal, id)
  if (!found) throw notFound()
  const details = detailsOf(principal, id)
  let project = found
  if (name !== undefined) {
    const given = { name: requiredName(name) }
    await executor.update(projects).set(given).where(eq(projects.id, id))
    project = { ...project, ...given }
    await recordOwnAction(executor, principal, { action: 'project.renamed', details })
  }
  if (instructions !== undefined) {
    project = await setInstructions(executor, project, instructions)
    await recordOwnAction(executor, principal, { action: 'project.instructions_changed', details })
  }
  return project
}

/** Earlier texts stay, because runs name them. */
async function setInstructions(
  executor: Executor,
  project: Project,
  instructions: string | null,
): Promise<Project> {
  const written = instructions?.trim() ? instructionText(instructions.trim()) : undefined
  if (written) {
    const { id: projectId, accountId } = project
    await executor
      .insert(projectInstructions)
      .values({ projectId, accountId, ...written, tokens: estimateTokens(written.text) + separatorTokens })
      .onConflictDoNothing()
  }
  const instructionsHash = written?.hash ?? null
  await executor.update(projects).set({ instructionsHash }).where(eq(projects.id, project.id))
  return { ...project, instructionsHash }
}

/** Tokens of the empty line before the instructions. */
const separatorTokens = 1

/** A text that the instructions of a project have or had; undefined if they never had it. */
export async function readInstructions(
  executor: Executor,
  projectId: string,
  hash: string,
): Promise<InstructionVersion | undefined> {
  const [version] = await executor
    .select()
    .from(projectInstructions)
    .where(and(eq(projectInstructions.projectId, projectId), eq(projectInstructions.hash, hash)))
  return version
}

/** The text of a project's instructions; null if it has none. */
export async function currentInstructions(
  executor: Executor,
  { id, instructionsHash: hash }: Project,
): Promise<string | null> {
  const version = hash === null ? undefined : await readInstructions(executor, id, hash)
  return version?.text ?? null
}

export type InstructionVersion = typeof projectInstructions.$inferSelect

/**
 * Audit details of a change to a project. They omit its name, which may be a person's. The key is null for the
 * web pages.
 */
export function detailsOf({ keyId }: Principal, projectId: string) {
  return { project: projectId, key: keyId }
}

/** Name of the project for a person's questions that name no project. */
export const ownProjectName = 'My questions'

/**
 * The project of a request that names none: the key's own project, or a person's oldest project of that name.
 * It is created on first use, or if it was deleted since the key was looked up. It locks the row of the key or
 * account, so simultaneous requests create one project, which cannot be deleted until the transaction ends.
 * @throws ServiceError `not_found` if the key was bound to a project that has been deleted.
 */
export async function defaultProjectId(executor: Executor, principal: Principal): Promise<string> {
  const { kind, projectId } = principal.binding
  if (projectId !== null && (await lockProject(executor, principal, projectId))) return projectId
  // Deleting a project revokes the keys that are bound to it.
  if (projectId !== null && kind !== 'owner') throw notFound()
  // Before the key's row: every transaction locks them in this order.
  await lockAccount(executor, principal.accountId)
  if (principal.keyId === null) return projectNamed(executor, principal.accountId, ownProjectName)
  const [key] = await executor
    .select({ name: apiKeys.name, projectId: apiKeys.projectId })
    .from(apiKeys)
    .where(eq(apiKeys.id, principal.keyId))
    .for('update')
  if (!key) throw notFound()
  if (key.projectId !== null) return key.projectId
  const project = await insertProject(executor, principal.accountId, `API: ${key.name}`)
  await executor.update(apiKeys).set({ projectId: project.id }).where(eq(apiKeys.id, principal.keyId))
  return project.id
}

/** The oldest project of that name. It is created if there is none: the caller has locked the account's row. */
export async function projectNamed(executor: Executor, accountId: string, name: string): Promise<string> {
  const [known] = await executor
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.accountId, accountId), eq(projects.name, name)))
    .orderBy(asc(projects.createdAt), asc(projects.id))
    .limit(1)
  return known?.id ?? (await insertProject(executor, accountId, name)).id
}
