import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises'
import { type Database, type Executor, withTurnTx } from '../../db/client.ts'
import { statement } from '../../db/statement.ts'
import type { RunEvent } from '../run/run-events.ts'
import { type Attempt, joinDeltas } from './append-values.ts'
import { createFlushClock, type FlushClock } from './flush-clock.ts'

type Counts = { readonly eventCount: number; readonly stepCount: number }

/**
 * Appends of events between steps, of all runs that a process drives. One transaction at a time: what comes meanwhile
 * waits and travels together, so that thousands of slow streams cost some transactions a second, and a single one as many
 * as it would alone.
 */
export type SharedAppends = FlushClock & {
  /**
   * @param before what the run's row must say, as for `appendEvents`.
   * @param told called once, when it is known whether they were committed: false when the row says something else or is just
   * being written, and nothing of them was written then; undefined when it cannot be known. It must not throw.
   * @returns how many events it adds.
   */
  append(run: Attempt, before: Counts, events: readonly RunEvent[], told: AppendResult): number
}

export type AppendResult = (written: boolean | undefined) => void

const appendAll = statement<{ run: string }>(
  'append_to_runs',
  'select append_to_runs(:runs, :accounts, :epochs, :eventsBefore, :stepsBefore, :events) as run',
)

/** What one run adds. */
type Line = {
  readonly run: Attempt
  readonly before: Counts
  /** As JSON. */
  readonly events: string
  readonly told: AppendResult
}

/** In one transaction; each line is some KB. */
const maxLines = 1_000
/** From one to the next. A run has something to write ten times a second at most, so a few runs never wait for it. */
const pauseMs = 25

export function createSharedAppends(database: Database): SharedAppends {
  let waiting: Line[] = []
  let writing = false
  const write = async () => {
    writing = true
    // Many runs have something to write at one moment.
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
    append(run, before, events, told) {
      const joined = joinDeltas(events)
      waiting.push({ run, before, events: JSON.stringify(joined), told })
      if (!writing) void write()
      return joined.length
    },
  }
}

/** Never throws: each line is told what became of it. */
async function writeLines(database: Database, lines: readonly Line[]): Promise<void> {
  const written = await withTurnTx(database, 'system', async (tx, sendCommit) => {
    const sent = sendLines(tx, lines)
    sendCommit()
    return sent
  }).catch(() => undefined)
  for (const { run, told } of lines) told(written?.has(run.id))
}

async function sendLines(tx: Executor, lines: readonly Line[]): Promise<ReadonlySet<string>> {
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
