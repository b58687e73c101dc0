import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises'
import { type Database, type Executor, withTurnTx } from '../db/client.ts'
import { statement } from '../db/statement.ts'
import { type Attempt, appendValues } from './append-values.ts'
import type { RunEvent } from './run-events.ts'

type Counts = { readonly eventCount: number; readonly stepCount: number }

/**
 * Appends of events between steps, of all runs that a process drives. One transaction at a time: what comes meanwhile
 * waits and travels together, so that thousands of slow streams cost some transactions a second, and a single one as many
 * as it would alone.
 */
export type SharedAppends = {
  /**
   * @param before what the run's row must say, as for `appendEvents`.
   * @returns how many events it adds, and whether they were committed: false when the row says something else or is just
   * being written, and nothing of them was written then. It rejects when that is not known.
   */
  append(
    run: Attempt,
    before: Counts,
    events: readonly RunEvent[],
  ): { readonly added: number; readonly done: Promise<boolean> }
}

/** As `append_to_run` for each of the runs. One whose row is locked is left out: it must not keep the others waiting. */
const appendAll = statement<{ id: string }>(
  'append_all',
  `with given as materialized (
    select * from unnest(:runIds::text[], :accountIds::text[], :epochs::int[], :eventsBefore::int[], :stepsBefore::int[],
      :eventCounts::int[], :events::text[])
      as line (id, account_id, epoch, events_before, steps_before, event_count, events)),
  free as materialized (
    select given.* from given join runs on runs.id = given.id
    where runs.epoch = given.epoch and runs.status = 'in_progress'
      and runs.event_count = given.events_before and runs.step_count = given.steps_before
    for update of runs skip locked),
  moved as (
    update runs set event_count = runs.event_count + free.event_count
    from free where runs.id = free.id
    returning runs.id, free.account_id, free.epoch, free.events_before, free.events),
  event_rows as (
    insert into run_events (run_id, seq, account_id, step, attempt, event)
    select id, events_before + number, account_id, coalesce((event->>'step')::int, 0), epoch, event
    from moved, jsonb_array_elements(moved.events::jsonb) with ordinality as line (event, number))
  select id from moved`,
)

type Line = {
  readonly values: ReturnType<typeof appendValues>
  readonly settle: (written: boolean) => void
  readonly fail: (error: unknown) => void
}

/** In one transaction; each line is some KB. */
const mostLines = 1_000
/** From one to the next. A run has something to write ten times a second at most, so a few runs never wait for it. */
const pauseMs = 25

export function createSharedAppends(database: Database): SharedAppends {
  let waiting: Line[] = []
  let writing = false
  const write = async () => {
    writing = true
    // Timers of many runs go off together.
    await nextTick()
    while (waiting.length > 0) {
      const lines = waiting.slice(0, mostLines)
      waiting = waiting.slice(mostLines)
      await writeLines(database, lines)
      await delay(pauseMs)
    }
    writing = false
  }
  return {
    append(run, before, events) {
      const values = appendValues(run, before, { events, steps: [] })
      const { promise, resolve: settle, reject: fail } = Promise.withResolvers<boolean>()
      waiting.push({ values, settle, fail })
      if (!writing) void write()
      return { added: values.eventCount, done: promise }
    },
  }
}

/** Never throws: each line is told what became of it. */
async function writeLines(database: Database, lines: readonly Line[]): Promise<void> {
  try {
    const written = await withTurnTx(database, 'system', async (tx, sendCommit) => {
      const sent = sendLines(tx, lines)
      sendCommit()
      return sent
    })
    for (const { values, settle } of lines) settle(written.has(values['runId']))
  } catch (error) {
    for (const { fail } of lines) fail(error)
  }
}

async function sendLines(tx: Executor, lines: readonly Line[]): Promise<ReadonlySet<unknown>> {
  const all = (name: string) => lines.map(({ values }) => values[name])
  const rows = await appendAll(tx, {
    runIds: all('runId'),
    accountIds: all('accountId'),
    epochs: all('epoch'),
    eventsBefore: all('eventsBefore'),
    stepsBefore: all('stepsBefore'),
    eventCounts: all('eventCount'),
    events: all('events'),
  })
  return new Set(rows.map(({ id }) => id))
}
