import { and, eq, lt, type SQL, sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { messages, runs, sessions } from '../../db/schema/index.ts'
import { notFound } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { plainName, requiredName } from '../../names/names.ts'
import type { StoredMessage } from '../run/large-rows.ts'
import { type Page, type PageRequest, pageOf, pageOfLarge } from '../run/paging.ts'
import type { Run } from '../run/run.ts'
import { requireEnded } from '../run/runs.ts'
import { answerPosition } from '../run/transcript.ts'
import { finderIn, visibleTo } from '../run/visibility.ts'
import { defaultProjectId, findProject, lockProject } from './projects.ts'

export type Session = typeof sessions.$inferSelect
/** What a client notes about a conversation. */
export type Metadata = Readonly<Record<string, string>>
export type { StoredMessage }

export async function createSession(
  executor: Executor,
  principal: Principal,
  input: {
    readonly model: string
    readonly projectId?: string | undefined
    readonly name: string
    readonly metadata?: Metadata
  },
): Promise<Session> {
  if (input.projectId !== undefined && !(await lockProject(executor, principal, input.projectId))) {
    throw notFound('project_id')
  }
  const projectId = input.projectId ?? (await defaultProjectId(executor, principal))
  const [session] = await executor
    .insert(sessions)
    .values({
      id: newId('session'),
      accountId: principal.accountId,
      projectId,
      model: input.model,
      name: plainName(input.name),
      metadata: input.metadata ?? null,
    })
    .returning()
  if (!session) throw new Error('insert returned no row')
  return session
}

export const findSession = finderIn(sessions)

/**
 * One page of the sessions that the principal sees.
 * @throws ServiceError `not_found` for a project that the principal cannot see, `invalid_value` for an unknown `after`.
 */
export async function listSessions(
  executor: Executor,
  principal: Principal,
  page: PageRequest,
  projectId?: string,
): Promise<Page<Session>> {
  if (projectId !== undefined && !(await findProject(executor, principal, projectId))) {
    throw notFound('project_id')
  }
  const filter = and(
    visibleTo(principal, sessions),
    projectId === undefined ? undefined : eq(sessions.projectId, projectId),
  )
  return pageOf(executor, sessions, filter, page)
}

/** @param newName null: the session is named by its first question again. */
export async function renameSession(
  executor: Executor,
  session: Session,
  newName: string | null,
): Promise<Session> {
  const name = newName === null ? '' : requiredName(newName)
  await executor.update(sessions).set({ name, updatedAt: sql`now()` }).where(eq(sessions.id, session.id))
  return { ...session, name }
}

/**
 * Deletes a session with its messages and runs. Ledger rows stay.
 * @throws ServiceError `session_busy` while one of its turns is unfinished, because its hold would never be
 *   settled.
 */
export async function deleteSession(executor: Executor, session: Session): Promise<void> {
  await executor.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, session.id)).for('update')
  const text = 'A turn of this session has not ended. Cancel it, or wait for its end.'
  await requireEnded(executor, eq(runs.sessionId, session.id), 'session_busy', text)
  await executor.delete(sessions).where(eq(sessions.id, session.id))
}

/** The messages that a turn added to its session, without its answer. */
export function listInput(executor: Executor, run: Run, page: PageRequest): Promise<Page<StoredMessage>> {
  const filter = and(
    eq(messages.sessionId, run.sessionId),
    eq(messages.runId, run.id),
    lt(messages.position, answerPosition),
  )
  return messagePage(executor, filter, page)
}

/** The messages of a session in order, including those of unfinished and failed turns. */
export function listMessages(
  executor: Executor,
  session: Session,
  page: PageRequest,
): Promise<Page<StoredMessage>> {
  return messagePage(executor, eq(messages.sessionId, session.id), page)
}

function messagePage(
  executor: Executor,
  filter: SQL | undefined,
  page: PageRequest,
): Promise<Page<StoredMessage>> {
  const order = [messages.turn, messages.position]
  return pageOfLarge(executor, messages, { content: messages.content }, filter, page, order)
}
