import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises'
import { type Database, type Executor, withTurnTx } from '../../db/client.ts'
import { statement } from '../../db/statement.ts'
import type { RunEvent } from '../run/run-events.ts'
import { type Attempt, joinDeltas } from './append-values.ts'
import { createFlushClock, type FlushClock } from './flush-clock.ts'

type Counts = { readonly eventCount: number; readonly stepCount: number }

/**
 * Appends events between steps, for all runs that a process drives. One transaction runs at a time, and events
 * that arrive meanwhile form the next batch. Thousands of slow streams therefore need only a few transactions
 * per second.
 */
export type SharedAppends = FlushClock & {
  /**
   * Adds the events of one run to the next batch.
   * @param before the counts that the run's row must have, as for `appendEvents`.
   * @param onResult called once with the outcome: true if committed; false if nothing was written, because the row
   *   has other counts or is locked; undefined if unknown. It must not throw.
   * @returns the number of events it adds.
   */
  append(run: Attempt, before: Counts, events: readonly RunEvent[], onResult: AppendListener): number
}

export type AppendListener = (written: boolean | undefined) => void

const appendAll = statement<{ run: string }>(
  'append_to_runs',
  'select append_to_runs(:runs, :accounts, :epochs, :eventsBefore, :stepsBefore, :events) as run',
)

/** The events that one run adds. */
type PendingAppend = {
  readonly run: Attempt
  readonly before: Counts
  /** As JSON. */
  readonly events: string
  readonly onResult: AppendListener
}

/** Maximum runs per transaction. Each adds a few KB. */
const maxLines = 1_000
/**
 * Pause between transactions. A run flushes at most ten times a second, so with few runs this pause delays
 * nobody.
 */
const pauseMs = 25

export function createSharedAppends(database: Database): SharedAppends {
  let waiting: PendingAppend[] = []
  let writing = false
  const write = async () => {
    writing = true
    // Many runs add events in the same tick.
    await nextTick()
    while (waiting.length > 0) {
      const lines = waiting.slice(0, maxLines)
      waiting = waiting.slice(maxLines)
      await writeLines(database, lines)
      await delay(pauseMs)
    }
    writing = false
  }
  return {
    ...createFlushClock(),
    append(run, before, events, onResult) {
      const joined = joinDeltas(events)
      waiting.push({ run, before, events: JSON.stringify(joined), onResult })
      if (!writing) void write()
      return joined.length
    },
  }
}

/** Never throws. Each line's listener gets its outcome. */
async function writeLines(database: Database, lines: readonly PendingAppend[]): Promise<void> {
  const written = await withTurnTx(database, 'system', async (tx, sendCommit) => {
    const sent = sendLines(tx, lines)
    sendCommit()
    return sent
  }).catch(() => undefined)
  for (const { run, onResult } of lines) onResult(written?.has(run.id))
}

async function sendLines(tx: Executor, lines: readonly PendingAppend[]): Promise<ReadonlySet<string>> {
  const rows = await appendAll(tx, {
    runs: lines.map(({ run }) => run.id),
    accounts: lines.map(({ run }) => run.accountId),
    epochs: lines.map(({ run }) => run.epoch),
    eventsBefore: lines.map(({ before }) => before.eventCount),
    stepsBefore: lines.map(({ before }) => before.stepCount),
    events: lines.map(({ events }) => events),
  })
  return new Set(rows.map(({ run }) => run))
}
