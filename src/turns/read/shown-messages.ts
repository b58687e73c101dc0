import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { messages } from '../../db/schema/index.ts'
import type { Run } from '../run/run.ts'

/** Maximum characters of a question on the pages. Programs can send longer ones. */
export const maxQuestion = 50_000

/** The question of a turn, as the pages show it. */
export type ShownQuestion = {
  /** Empty if the turn continued from results of the client's own tools. Of a question that is too long, its beginning. */
  readonly question: string
  /** The question, for a form that asks it again; empty if it is too long for one. */
  readonly questionAgain: string
}

export const noQuestion: ShownQuestion = Object.freeze({ question: '', questionAgain: '' })

/**
 * The text of the user's newest message of each run, by run. Postgres cuts long texts and leaves the images out,
 * because a page of turns can have gigabytes of them.
 */
export async function questionsOf(
  executor: Executor,
  of: readonly Run[],
): Promise<ReadonlyMap<string, ShownQuestion>> {
  const { runId, position, content } = messages
  const parts = sql`select string_agg(part->>'text', e'\\n' order by at)
    from jsonb_array_elements(${content}->'content') with ordinality as p (part, at)
    where part->>'type' = 'text' and part->>'text' <> ''`
  const text = sql`case jsonb_typeof(${content}->'content') when 'array' then (${parts}) else ${content}->>'content' end`
  const rows = await executor
    .selectDistinctOn([runId], { runId, text: sql<string | null>`left(${text}, ${maxQuestion + 1})` })
    .from(messages)
    .where(and(ofRuns(of), eq(messages.role, 'user')))
    .orderBy(runId, desc(position))
  return new Map(rows.map((row) => [row.runId, shownQuestion(row.text ?? '')]))
}

function shownQuestion(question: string): ShownQuestion {
  if (question.length <= maxQuestion) return { question, questionAgain: question }
  return { question: `${question.slice(0, maxQuestion).toWellFormed()} …`, questionAgain: '' }
}

/** The sessions are named too, because messages have no index by run. */
function ofRuns(of: readonly Run[]) {
  const sessionIds = new Set(of.map(({ sessionId }) => sessionId))
  const runIds = of.map(({ id }) => id)
  return and(inArray(messages.sessionId, [...sessionIds]), inArray(messages.runId, runIds))
}
