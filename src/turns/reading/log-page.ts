import { eq } from 'drizzle-orm'
import type { FinishReason, ToolCall } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'
import type { VerifiedQuote } from '../../sources/citations/verify.ts'
import { type CommittedEvent, readEvents, withoutVoid } from '../recording/event-log.ts'
import type { Run } from '../run/run.ts'
import type { CitedSource, RunEnd, RunFailureCode, RunUsage, TerminalEvent } from '../run/run-events.ts'

type Item = { readonly type: string } & Readonly<Record<string, unknown>>

/** Rebuilds the events of a finished run whose log has expired, from the run's row: its text, then its end. */
export function eventsOfEndedRun(run: Run): readonly CommittedEvent[] {
  const end = storedEnd(run)
  const text = { type: 'text.delta', step: run.stepCount, text: end.text } as const
  const events = [...(end.text === '' ? [] : [text]), terminalOf(run, end)]
  const first = Math.max(run.eventCount - events.length, 0) + 1
  return events.map((event, i) => ({ seq: first + i, epoch: run.epoch, event }))
}

function terminalOf(run: Run, end: RunEnd): TerminalEvent {
  switch (run.status) {
    case 'failed':
      return {
        type: 'run.failed',
        code: (run.errorCode ?? 'run_failed') as RunFailureCode,
        message: run.errorMessage,
        end,
      }
    case 'cancelled':
      return { type: 'run.cancelled', end }
    default:
      return { type: 'run.completed', reason: (run.finishReason ?? 'stop') as FinishReason, end }
  }
}

/**
 * The end of a finished run from its row. The stored text includes the source list. The positions of citations in it are
 * not stored.
 */
export function storedEnd(run: Run): RunEnd {
  const items = run.output as readonly Item[]
  const of = <T>(type: string, make: (item: Item) => T): T[] => items.filter((i) => i.type === type).map(make)
  const [text = ''] = of('message', (item) => String(item['content'] ?? ''))
  const quotationsOf = (type: string) =>
    of(type, ({ type: _, ...quotation }) => quotation as unknown as VerifiedQuote)
  const asked = quotationsOf('question_quotation')
  return {
    text,
    source_list: '',
    sources: of('source', ({ type: _, ...source }) => source as unknown as CitedSource),
    citations: [],
    unknown_marks: 0,
    unknown_refs: [],
    quotations: quotationsOf('quotation'),
    ...(asked.length > 0 && { question_quotations: asked }),
    files: of('file', (item) => ({
      id: String(item['id']),
      filename: String(item['filename']),
      bytes: Number(item['bytes']),
      contentType: String(item['content_type']),
      action: item['action'] === 'updated' ? 'updated' : 'created',
    })),
    tool_calls: of(
      'tool_call',
      ({ id, name, arguments: args }) => ({ id, name, arguments: args }) as ToolCall,
    ),
    usage: run.usage as RunUsage,
  }
}

export type LogPage = {
  readonly events: readonly CommittedEvent[]
  /** The run has ended, and no events follow these. */
  readonly over: boolean
  /** Undefined if the run was deleted. */
  readonly run: Run | undefined
}

/** Reads the committed events after `seq`: all of them, or the first `limit`. */
export async function readAfter(
  executor: Executor,
  runId: string,
  afterSeq: number,
  limit?: number,
): Promise<LogPage> {
  // Read the run before its events: everything committed before an end is then visible together with that end.
  const [run] = await executor.select().from(runs).where(eq(runs.id, runId))
  const events = await readEvents(executor, runId, afterSeq, limit)
  if (!run) return { events, over: true, run }
  if (run.finishedAt === null || events.length === limit) return { events, over: false, run }
  const kept = events.length > 0 ? events : eventsOfEndedRun(run).filter(({ seq }) => seq > afterSeq)
  return { events: kept, over: true, run }
}

/** The titles of a run's tool calls, in order. Empty after its log has expired. */
export async function readToolTitles(executor: Executor, runId: string): Promise<readonly string[]> {
  const events = withoutVoid(await readEvents(executor, runId, 0))
  return events.flatMap(({ event }) => (event.type === 'tool.started' ? [event.title] : []))
}
