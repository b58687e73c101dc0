import { desc, eq, inArray, sql } from 'drizzle-orm'
import type { ModelMessage } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { answerFeedback, messages, runs } from '../../db/schema/index.ts'
import type { Run } from '../run/run.ts'
import { textOf } from '../run/transcript.ts'

export type Rating = 'up' | 'down'

/** What a reader thinks of an answer. */
export type Feedback = { readonly rating: Rating; readonly note: string }

/** Feedback with its question and the refs that the answer cites, for operators. */
export type FeedbackEntry = Feedback & {
  readonly runId: string
  readonly question: string
  readonly refs: readonly string[]
  readonly model: string
  readonly createdAt: Date
}

/** Longest note, in characters. */
export const maxNote = 2_000

/** Stores what the reader thinks of a run's answer. It replaces earlier feedback on it; an empty note keeps the old one. */
export async function giveFeedback(
  executor: Executor,
  run: Pick<Run, 'id' | 'accountId'>,
  { rating, note }: Feedback,
): Promise<void> {
  const value = rating === 'up' ? 1 : -1
  await executor
    .insert(answerFeedback)
    .values({ runId: run.id, accountId: run.accountId, rating: value, note })
    .onConflictDoUpdate({
      target: answerFeedback.runId,
      set: {
        rating: value,
        note: sql`case when ${note} = '' then ${answerFeedback.note} else ${note} end`,
        createdAt: sql`now()`,
      },
    })
}

/** Takes back the feedback on a run's answer. */
export async function withdrawFeedback(executor: Executor, runId: string): Promise<void> {
  await executor.delete(answerFeedback).where(eq(answerFeedback.runId, runId))
}

/** The feedback on these runs, by run. */
export async function feedbackOf(
  executor: Executor,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, Feedback>> {
  if (runIds.length === 0) return new Map()
  const rows = await executor
    .select({ runId: answerFeedback.runId, rating: answerFeedback.rating, note: answerFeedback.note })
    .from(answerFeedback)
    .where(inArray(answerFeedback.runId, [...runIds]))
  return new Map(rows.map(({ runId, rating, note }) => [runId, { rating: ratingOf(rating), note }]))
}

/**
 * Feedback of all accounts, newest first.
 * @param executor must see all accounts.
 */
export async function listFeedback(
  executor: Executor,
  { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
): Promise<readonly FeedbackEntry[]> {
  const rows = await executor
    .select({
      runId: answerFeedback.runId,
      rating: answerFeedback.rating,
      note: answerFeedback.note,
      createdAt: answerFeedback.createdAt,
      model: runs.model,
      sources: sql<readonly { readonly ref: string }[] | null>`${runs.reply} #> '{end,sources}'`,
      asked: sql<ModelMessage | null>`(select m.content from ${messages} m
        where m.session_id = ${runs.sessionId} and m.run_id = ${runs.id} and m.role = 'user' order by m.position desc limit 1)`,
    })
    .from(answerFeedback)
    .innerJoin(runs, eq(runs.id, answerFeedback.runId))
    .orderBy(desc(answerFeedback.createdAt), desc(answerFeedback.runId))
    .limit(limit)
    .offset(offset)
  return rows.map(({ rating, asked, sources, ...row }) => ({
    ...row,
    rating: ratingOf(rating),
    question: asked ? textOf(asked.content) : '',
    refs: [...new Set(sources?.map(({ ref }) => ref))],
  }))
}

function ratingOf(value: number): Rating {
  return value > 0 ? 'up' : 'down'
}
