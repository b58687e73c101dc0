import { and, asc, eq, gt, inArray, or, sql } from 'drizzle-orm'
import type { StepRecord } from '../../agent/events.ts'
import type { Executor } from '../../db/client.ts'
import { runLog, runs } from '../../db/schema/index.ts'
import type { Run } from '../run/run.ts'
import { type RunEvent, replyOf, type TerminalEvent } from '../run/run-events.ts'
import type { EndEntry, LogEntry, StepEntry } from './turn-store.ts'

/** `epoch`: that of the owner that wrote the event. */
export type CommittedEvent = { readonly seq: number; readonly epoch: number; readonly event: RunEvent }

/** A finished step. `at`: when it was committed. */
export type CommittedStep = {
  readonly step: number
  readonly epoch: number
  readonly record: StepRecord
  readonly costMicros: bigint
  readonly at: Date
}

/** Committed events and finished steps of a run, each in order. */
export type Log = { readonly events: readonly CommittedEvent[]; readonly steps: readonly CommittedStep[] }

export type LogPage = Log & {
  /** All that was committed when it was read. False: it was limited. */
  readonly isWhole: boolean
  /** The run has ended, and no events follow these. */
  readonly over: boolean
  /** Undefined if the run was deleted. */
  readonly run: Run | undefined
}

/** The run has a new owner or has ended. This owner may not write any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

type Row = {
  readonly seq: number
  readonly step: number
  readonly epoch: number
  readonly entries: readonly LogEntry[]
  readonly createdAt: Date | string
}

/**
 * Reads what was committed after the event `after`, in one snapshot with the run. The limits of a turn bound it.
 * @param after default: the whole log. With a position, only writes that have events.
 * @param limit maximum writes. Without it, all are read.
 */
export async function readLog(
  executor: Executor,
  runId: string,
  after = -1,
  limit?: number,
): Promise<LogPage> {
  const [found] = await executor
    .select({
      run: runs,
      rows: sql<readonly Row[]>`(select coalesce(json_agg(l), '[]') from (
        select l.seq, l.step, l.epoch, l.entries, l.created_at as "createdAt" from ${runLog} l
        where l.run_id = ${runId} and l.seq > ${after} and (l.events > 0 or ${after} < 0) order by l.seq, l.step limit ${limit ?? null}) l)`,
    })
    .from(runs)
    .where(eq(runs.id, runId))
  if (!found) return { events: [], steps: [], isWhole: true, over: true, run: undefined }
  const { run, rows } = found
  const log = logOf(run, rows)
  // A write that the position divides comes whole.
  const isNews = ({ seq }: CommittedEvent) => seq > after
  const events = log.events.filter(isNews)
  const isWhole = rows.length !== limit
  const over = isWhole && run.finishedAt !== null
  const kept = over && events.length === 0 ? eventsOfReply(run).filter(isNews) : events
  return { events: kept, steps: log.steps, isWhole, over, run }
}

/** The logs of these runs as a page of turns needs them: of a run that has ended, the steps and what was written with them. */
export async function readLogs(executor: Executor, of: readonly Run[]): Promise<(run: Run) => Log> {
  const open = of.filter(({ finishedAt }) => finishedAt === null)
  const ids = (some: readonly Run[]) =>
    inArray(
      runLog.runId,
      some.map(({ id }) => id),
    )
  const rows = await executor
    .select()
    .from(runLog)
    .where(and(ids(of), or(gt(runLog.steps, 0), open.length > 0 ? ids(open) : undefined)))
    .orderBy(asc(runLog.seq), asc(runLog.step))
  return (run) => logOf(run, rows.filter(({ runId }) => runId === run.id) as unknown as readonly Row[])
}

const isStep = (entry: LogEntry): entry is StepEntry => entry.type === 'step'
const endTypes: ReadonlySet<string> = new Set<TerminalEvent['type']>([
  'run.completed',
  'run.failed',
  'run.cancelled',
])
const isEnd = (entry: LogEntry): entry is EndEntry => endTypes.has(entry.type)

function logOf(run: Run, rows: readonly Row[]): Log {
  return {
    events: rows.flatMap(({ seq, epoch, entries }) => {
      const events = entries.filter((entry) => !isStep(entry))
      const before = seq - events.length
      return events.flatMap((entry, i) => {
        // A run that was read before its log may not have its reply yet.
        const event = isEnd(entry) ? replyOf(run) : entry
        return event ? [{ seq: before + i + 1, epoch, event }] : []
      })
    }),
    steps: rows.flatMap(({ step, epoch, entries, createdAt }) => {
      const steps = entries.filter(isStep)
      const before = step - steps.length
      return steps.map(({ record, micros }, i) => ({
        ...{ step: before + i + 1, epoch, record },
        ...{ costMicros: BigInt(micros), at: new Date(createdAt) },
      }))
    }),
  }
}

/** The events of a run whose log has expired, as far as its reply tells them: its tool calls, its text and its end. */
function eventsOfReply(run: Run): readonly CommittedEvent[] {
  const reply = replyOf(run)
  if (!reply) return []
  const { text, tools_used: tools = [] } = reply.end
  const events: RunEvent[] = []
  let shown = 0
  const showUntil = (at: number) => {
    if (at > shown) events.push({ type: 'text.delta', step: run.stepCount, text: text.slice(shown, at) })
    shown = at
  }
  for (const { at, ...tool } of tools) {
    showUntil(at)
    events.push({ type: 'tool.started', ...tool })
  }
  showUntil(text.length)
  events.push(reply)
  const before = Math.max(run.eventCount - events.length, 0)
  return events.map((event, i) => ({ seq: before + i + 1, epoch: run.epoch, event }))
}
