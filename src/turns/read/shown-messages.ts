import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { files, messages } from '../../db/schema/index.ts'
import type { Run } from '../run/run.ts'

/** Maximum characters of a question on the pages. Programs can send longer ones. */
export const maxQuestion = 50_000

/** The question of a turn, as the pages show it. */
export type ShownQuestion = {
  /** Empty if the turn continued from results of the client's own tools. Of a question that is too long, its beginning. */
  readonly question: string
  /** The question, for a form that asks it again; empty if it is too long for one. */
  readonly questionAgain: string
  /** The files that it is about, without those that were deleted since. */
  readonly files: readonly AttachedFile[]
}

export type AttachedFile = { readonly id: string; readonly name: string }

export const noQuestion: ShownQuestion = Object.freeze({ question: '', questionAgain: '', files: [] })

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
  const ids = sql`select jsonb_agg(part->>'fileId' order by at)
    from jsonb_array_elements(${content}->'content') with ordinality as p (part, at) where part->>'type' = 'file'`
  const fileIds = sql<
    string[] | null
  >`case jsonb_typeof(${content}->'content') when 'array' then (${ids}) end`
  const rows = await executor
    .selectDistinctOn([runId], {
      runId,
      fileIds,
      text: sql<string | null>`left(${text}, ${maxQuestion + 1})`,
    })
    .from(messages)
    .where(and(ofRuns(of), eq(messages.role, 'user')))
    .orderBy(runId, desc(position))
  const names = await fileNames(
    executor,
    rows.flatMap((row) => row.fileIds ?? []),
  )
  return new Map(
    rows.map(({ runId, text, fileIds }) => [
      runId,
      {
        ...shownQuestion(text ?? ''),
        files: [...new Set(fileIds)].flatMap((id) => {
          const name = names.get(id)
          return name === undefined ? [] : [{ id, name }]
        }),
      },
    ]),
  )
}

async function fileNames(executor: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const found = await executor
    .select({ id: files.id, name: files.name })
    .from(files)
    .where(inArray(files.id, [...ids]))
  return new Map(found.map(({ id, name }) => [id, name]))
}

/** What the agent does, with the names of attached files: the first calls of a turn name these by their ids. */
export function withFileNames(title: string, attached: readonly AttachedFile[]): string {
  return attached.reduce((text, { id, name }) => text.replaceAll(id, () => name), title)
}

function shownQuestion(question: string): Omit<ShownQuestion, 'files'> {
  if (question.length <= maxQuestion) return { question, questionAgain: question }
  return { question: `${question.slice(0, maxQuestion).toWellFormed()} …`, questionAgain: '' }
}

/** The sessions are named too, because messages have no index by run. */
function ofRuns(of: readonly Run[]) {
  const sessionIds = new Set(of.map(({ sessionId }) => sessionId))
  const runIds = of.map(({ id }) => id)
  return and(inArray(messages.sessionId, [...sessionIds]), inArray(messages.runId, runIds))
}
