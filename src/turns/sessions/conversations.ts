import { and, eq, isNotNull, or, sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { messages, runs, sessions } from '../../db/schema/index.ts'
import { notFound } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { Run } from '../run/run.ts'
import { requireEnded } from '../run/runs.ts'
import { answerPosition } from '../run/transcript.ts'
import { bytesOf, countAdded, uncountAdded } from './added-bytes.ts'
import { type Attachments, attachFiles } from './attachments.ts'
import type { Metadata, Session, StoredMessage } from './sessions.ts'

export async function setMetadata(
  executor: Executor,
  session: Session,
  metadata: Metadata,
): Promise<Session> {
  await executor.update(sessions).set({ metadata }).where(eq(sessions.id, session.id))
  return { ...session, metadata }
}

/**
 * Adds messages to a session without a turn. The next turn has them in its conversation, after the answer of the
 * newest one.
 * @param files of the messages, which are stored in the session's project.
 * @throws what `attachFiles` and `countAdded` throw, and `not_found` if the session was deleted.
 */
export async function addMessages(
  executor: Executor,
  principal: Principal,
  session: Session,
  added: readonly ModelMessage[],
  files: Attachments,
): Promise<readonly StoredMessage[]> {
  const { id: sessionId, accountId, projectId } = session
  const turn = await lockSession(executor, sessionId)
  const place = { accountId, projectId, sessionId, runId: null }
  const stored = await attachFiles(executor, principal, place, added, files, principal.plan)
  await countAdded(executor, session, principal.plan, bytesOf(stored))
  const [newest] = await executor
    .select({ position: sql<number>`coalesce(max(${messages.position}), 0)` })
    .from(messages)
    .where(and(eq(messages.sessionId, sessionId), eq(messages.turn, turn)))
  const first = Math.max(newest?.position ?? 0, answerPosition) + 1
  await forgetTranscripts(executor, sessionId)
  return executor
    .insert(messages)
    .values(
      stored.map((content, index) => ({
        id: newId('message'),
        accountId,
        sessionId,
        runId: noRun,
        turn,
        position: first + index,
        role: content.role,
        content,
      })),
    )
    .returning()
}

/** `run_id` of a message that was added without a turn. */
export const noRun = ''

/** Finds a message of a session by its id, or by the run whose answer it is. */
export async function findMessage(
  executor: Executor,
  sessionId: string,
  ids: { readonly messageId: string; readonly runId?: string },
): Promise<StoredMessage | undefined> {
  const { messageId, runId } = ids
  const isAnswer =
    runId === undefined ? undefined : and(eq(messages.runId, runId), eq(messages.position, answerPosition))
  const [found] = await executor
    .select()
    .from(messages)
    .where(and(eq(messages.sessionId, sessionId), or(eq(messages.id, messageId), isAnswer)))
  return found
}

/**
 * Removes a message from its session. The run and what it cost stay.
 * @throws ServiceError `session_busy` while the message's turn is unfinished, because the turn needs it.
 */
export async function deleteMessage(executor: Executor, message: StoredMessage): Promise<void> {
  await lockSession(executor, message.sessionId)
  await requireEnded(executor, eq(runs.id, message.runId), 'session_busy', busyText)
  await forgetTranscripts(executor, message.sessionId)
  const { rowCount } = await executor.delete(messages).where(eq(messages.id, message.id))
  if (rowCount === 1 && message.runId === noRun)
    await uncountAdded(executor, message.sessionId, message.content as ModelMessage)
}

/**
 * Deletes a run with its messages, steps and events. Ledger rows and files stay. A session that has nothing else is
 * deleted too, unless it was created as a conversation.
 * @throws ServiceError `session_busy` while the run is unfinished, because its hold would never be settled.
 */
export async function deleteRun(executor: Executor, { id, sessionId }: Run): Promise<void> {
  await lockSession(executor, sessionId)
  await requireEnded(executor, eq(runs.id, id), 'session_busy', busyText)
  await forgetTranscripts(executor, sessionId)
  await executor.delete(messages).where(and(eq(messages.sessionId, sessionId), eq(messages.runId, id)))
  await executor.delete(runs).where(eq(runs.id, id))
  await executor
    .delete(sessions)
    .where(
      and(
        eq(sessions.id, sessionId),
        sql`${sessions.metadata} is null`,
        sql`not exists (select from ${runs} where ${runs.sessionId} = ${sessionId})`,
        sql`not exists (select from ${messages} where ${messages.sessionId} = ${sessionId})`,
      ),
    )
}

/**
 * Locks a session, so that no turn starts in it.
 * @returns the number of its newest turn.
 */
async function lockSession(executor: Executor, id: string): Promise<number> {
  const [session] = await executor
    .select({ turnCount: sessions.turnCount })
    .from(sessions)
    .where(eq(sessions.id, id))
    .for('update')
  if (!session) throw notFound()
  return session.turnCount
}

const busyText = 'The turn has not ended. Cancel it, or wait for its end.'

/** The session is no longer what its clients have sent, so their histories do not continue it. */
async function forgetTranscripts(executor: Executor, sessionId: string): Promise<void> {
  await executor
    .update(messages)
    .set({ transcript: null })
    .where(and(eq(messages.sessionId, sessionId), isNotNull(messages.transcript)))
}
