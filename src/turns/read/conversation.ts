import { and, desc, eq, lt } from 'drizzle-orm'
import type { ModelStep } from '../../agent/events.ts'
import { describeCall } from '../../agent/loop/tool-calls.ts'
import type { UpstreamReport } from '../../agent/provider.ts'
import type { OfferedSource } from '../../agent/tools.ts'
import type { Executor } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'
import { createSourceMarks } from '../../sources/citations/source-marks.ts'
import type { RunnerServices } from '../drive/run-turn.ts'
import { turnTools } from '../drive/turn-tools.ts'
import { foldLog } from '../record/fold-log.ts'
import { type CommittedStep, readLogs } from '../record/run-log.ts'
import type { Run } from '../run/run.ts'
import { answerText, type FirstCitation, type RunEnd, replyOf } from '../run/run-events.ts'
import { noQuestion, questionsOf, type ShownQuestion, withFileNames } from './shown-messages.ts'

/** A finished step for people: what was done, how long it took since the previous step, and what it cost. */
export type TurnStep = {
  readonly step: number
  readonly kind: 'model' | 'tool'
  readonly title: string
  readonly failed: boolean
  readonly tookMs: number
  readonly costMicros: bigint
  /** Tokens of a model reply; 0 for a tool step. */
  readonly promptTokens: number
  readonly completionTokens: number
  /** Refs of the passages that the step showed to the model. */
  readonly refs: readonly string[]
  /** Which server of the model answered, for models with several. */
  readonly upstream?: UpstreamReport | undefined
}

/** A turn as the web pages show it. */
export type ConversationTurn = ShownQuestion & {
  readonly run: Run
  /** The text so far while the run is in progress. */
  readonly answer: string
  readonly steps: readonly TurnStep[]
  /** Titles of the tool calls in progress. */
  readonly doing: readonly string[]
  /** The passages that finished steps showed to the model. */
  readonly read: readonly OfferedSource[]
  /** The sources that the text so far cites, by their numbers. Empty for an ended run: `end` has its sources. */
  readonly cited: readonly FirstCitation[]
  /** Undefined while the run is in progress. */
  readonly end: RunEnd | undefined
}

/** The newest turns of a session, oldest first. With `before`, only turns with a smaller number. */
export async function readTurns(
  services: RunnerServices,
  executor: Executor,
  sessionId: string,
  page: { readonly limit: number; readonly before?: number | undefined },
): Promise<{ readonly turns: readonly ConversationTurn[]; readonly hasEarlier: boolean }> {
  const rows = await executor
    .select()
    .from(runs)
    .where(
      and(eq(runs.sessionId, sessionId), page.before === undefined ? undefined : lt(runs.turn, page.before)),
    )
    .orderBy(desc(runs.turn))
    .limit(page.limit + 1)
  const newest = rows.slice(0, page.limit).reverse()
  return { turns: await turnsOf(services, executor, newest), hasEarlier: rows.length > page.limit }
}

/** One turn of a run. */
export async function readTurn(
  services: RunnerServices,
  executor: Executor,
  run: Run,
): Promise<ConversationTurn> {
  const [turn] = await turnsOf(services, executor, [run])
  if (!turn) throw new Error('a run makes a turn')
  return turn
}

async function turnsOf(
  services: RunnerServices,
  executor: Executor,
  of: readonly Run[],
): Promise<readonly ConversationTurn[]> {
  if (of.length === 0) return []
  const questions = await questionsOf(executor, of)
  const logOf = await readLogs(executor, of)
  return of.map((run) => {
    const end = replyOf(run)?.end
    const { text, steps, tools, passages, cited } = foldLog(logOf(run))
    const question = questions.get(run.id) ?? noQuestion
    const named = (title: string) => withFileNames(title, question.files)
    return {
      run,
      ...question,
      answer: end ? answerText(end) : text,
      steps: stepsOf(services, run, steps).map((step) => ({ ...step, title: named(step.title) })),
      doing: end ? [] : tools.flatMap(({ state, title }) => (state === 'now' ? [named(title)] : [])),
      read: passages,
      cited: end ? [] : cited,
      end,
    }
  })
}

function stepsOf(services: RunnerServices, run: Run, steps: readonly CommittedStep[]): readonly TurnStep[] {
  const tools = turnTools(services, run, createSourceMarks())
  let before = (run.startedAt ?? run.createdAt).getTime()
  return steps.map(({ step, record, costMicros, at }) => {
    const tookMs = Math.max(at.getTime() - before, 0)
    before = at.getTime()
    const base = { step, kind: record.kind, tookMs, costMicros }
    if (record.kind === 'model') {
      const { usage, upstream } = record
      const { promptTokens, completionTokens } = usage
      const title = titleOf(record)
      return { ...base, title, failed: false, promptTokens, completionTokens, refs: [], upstream }
    }
    const refs = [...new Set(record.sources.map((source) => source.ref))]
    const title = describeCall(tools, record.call)
    return { ...base, title, failed: record.isError, promptTokens: 0, completionTokens: 0, refs }
  })
}

function titleOf({ toolCalls, unfinished }: ModelStep): string {
  if (unfinished) return 'Writing, cut off'
  return toolCalls.length > 0 ? 'Deciding what to do' : 'Writing the answer'
}
