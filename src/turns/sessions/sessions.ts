import { and, eq, lt, sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { messages, runs, sessions } from '../../db/schema/index.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { type Page, type PageRequest, pageOf } from '../run/paging.ts'
import type { Run } from '../run/run.ts'
import { answerPosition } from '../run/transcript.ts'
import { visibleTo } from '../run/visibility.ts'
import { defaultProjectId, holdProject } from './projects.ts'

export type Session = typeof sessions.$inferSelect
/** What a client notes about a conversation. */
export type Metadata = Readonly<Record<string, string>>
export type StoredMessage = typeof messages.$inferSelect

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
  if (input.projectId !== undefined && !(await holdProject(executor, principal, input.projectId))) {
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
      name: input.name,
      metadata: input.metadata ?? null,
    })
    .returning()
  if (!session) throw new Error('insert returned no row')
  return session
}

/** Finds a session. Undefined if it does not exist or the principal cannot see it. */
export async function findSession(
  executor: Executor,
  principal: Principal,
  id: string,
): Promise<Session | undefined> {
  const [session] = await executor
    .select()
    .from(sessions)
    .where(and(eq(sessions.id, id), visibleTo(principal, sessions)))
  return session
}

export function listSessions(
  executor: Executor,
  principal: Principal,
  page: PageRequest,
  projectId?: string,
): Promise<Page<Session>> {
  const filter = and(
    visibleTo(principal, sessions),
    projectId === undefined ? undefined : eq(sessions.projectId, projectId),
  )
  return pageOf(executor, sessions, filter, page)
}

export async function renameSession(executor: Executor, session: Session, name: string): Promise<Session> {
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
  const [busy] = await executor
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.sessionId, session.id), sql`${runs.status} in ('queued', 'in_progress')`))
    .limit(1)
  if (busy) {
    throw new ServiceError(
      'session_busy',
      'A turn of this session has not ended. Cancel it, or wait for its end.',
      {
        shouldRetry: false,
      },
    )
  }
  await executor.delete(sessions).where(eq(sessions.id, session.id))
}

/** The messages that a turn added to its session, without its answer. */
export async function listInput(
  executor: Executor,
  run: Run,
  page: PageRequest,
): Promise<Page<StoredMessage>> {
  const filter = and(
    eq(messages.sessionId, run.sessionId),
    eq(messages.runId, run.id),
    lt(messages.position, answerPosition),
  )
  return pageOf(executor, messages, filter, page, [messages.turn, messages.position])
}

/** The messages of a session in order, including those of unfinished and failed turns. */
export async function listMessages(
  executor: Executor,
  session: Session,
  page: PageRequest,
): Promise<Page<StoredMessage>> {
  return pageOf(executor, messages, eq(messages.sessionId, session.id), page, [
    messages.turn,
    messages.position,
  ])
}
