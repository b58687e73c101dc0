import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import type { ModelStep, StepRecord } from '../../agent/events.ts'
import { describeCall } from '../../agent/loop/tool-calls.ts'
import type { UpstreamReport } from '../../agent/provider.ts'
import type { OfferedSource } from '../../agent/tools.ts'
import type { Executor } from '../../db/client.ts'
import { runEvents, runSteps, runs } from '../../db/schema/index.ts'
import { createSourceMarks } from '../../sources/citations/source-marks.ts'
import type { RunnerServices } from '../execution/run-turn.ts'
import { turnTools } from '../execution/turn-tools.ts'
import { readEvents, withoutVoid } from '../recording/event-log.ts'
import type { Run } from '../run/run.ts'
import type { FirstCitation, RunEnd, TerminalEvent } from '../run/run-events.ts'
import { storedEnd } from './log-page.ts'
import { answersOf, noQuestion, questionsOf, type ShownQuestion } from './shown-messages.ts'

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

/** The passages that the finished steps of a run showed to the model so far, each once. */
export async function readPassagesRead(executor: Executor, runId: string): Promise<readonly OfferedSource[]> {
  const rows = await executor
    .select({ record: runSteps.record })
    .from(runSteps)
    .where(and(eq(runSteps.runId, runId), eq(runSteps.kind, 'tool')))
    .orderBy(runSteps.step)
  return passagesRead(rows)
}

function passagesRead(rows: readonly { readonly record: unknown }[]): readonly OfferedSource[] {
  const records = rows.map(({ record }) => record as StepRecord)
  const sources = records.flatMap((record) => (record.kind === 'tool' ? record.sources : []))
  return [...new Map(sources.map((source) => [source.mark, source])).values()]
}

async function turnsOf(
  services: RunnerServices,
  executor: Executor,
  of: readonly Run[],
): Promise<readonly ConversationTurn[]> {
  if (of.length === 0) return []
  const ids = of.map((run) => run.id)
  const questions = await questionsOf(executor, of)
  const answers = await answersOf(executor, of)
  const steps = await executor
    .select()
    .from(runSteps)
    .where(inArray(runSteps.runId, ids))
    .orderBy(runSteps.step)
  const ends = await endsOf(executor, of)
  const turns: ConversationTurn[] = []
  for (const run of of) {
    const own = steps.filter(({ runId }) => runId === run.id)
    const end = ends.get(run.id)
    turns.push({
      run,
      ...(questions.get(run.id) ?? noQuestion),
      steps: stepsOf(services, run, own),
      read: passagesRead(own),
      end,
      ...(end
        ? { answer: answers.get(run.id) ?? end.text, doing: [], cited: [] }
        : await soFar(executor, run)),
    })
  }
  return turns
}

/**
 * The end of each finished run: from the event log while it is kept (it has more fields), otherwise from the
 * run's row.
 */
async function endsOf(executor: Executor, of: readonly Run[]): Promise<ReadonlyMap<string, RunEnd>> {
  const ended = of.filter((run) => run.finishedAt !== null)
  if (ended.length === 0) return new Map()
  const logged = await executor
    .select({ runId: runEvents.runId, event: runEvents.event })
    .from(runEvents)
    .where(
      and(
        inArray(
          runEvents.runId,
          ended.map((run) => run.id),
        ),
        inArray(sql`${runEvents.event}->>'type'`, ['run.completed', 'run.failed', 'run.cancelled']),
      ),
    )
  const known = new Map(logged.map(({ runId, event }) => [runId, (event as TerminalEvent).end]))
  return new Map(ended.map((run) => [run.id, known.get(run.id) ?? storedEnd(run)]))
}

async function soFar(
  executor: Executor,
  run: Run,
): Promise<Pick<ConversationTurn, 'answer' | 'doing' | 'cited'>> {
  let answer = ''
  const cited: FirstCitation[] = []
  const doing = new Map<number, string>()
  for (const { event } of withoutVoid(await readEvents(executor, run.id, 0))) {
    if (event.type === 'text.delta') {
      answer += event.text
      cited.push(...(event.cited ?? []))
    } else if (event.type === 'tool.started') doing.set(event.step, event.title)
    else if (event.type === 'tool.finished') doing.delete(event.step)
  }
  return { answer, doing: [...doing.values()], cited }
}

function stepsOf(
  services: RunnerServices,
  run: Run,
  rows: readonly (typeof runSteps.$inferSelect)[],
): readonly TurnStep[] {
  const tools = turnTools(services, run, createSourceMarks())
  let before = (run.startedAt ?? run.createdAt).getTime()
  return rows.map((row) => {
    const record = row.record as StepRecord
    const tookMs = Math.max(row.createdAt.getTime() - before, 0)
    before = row.createdAt.getTime()
    const base = { step: row.step, kind: record.kind, tookMs, costMicros: row.costMicros }
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
