import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ModelStep } from '../../../src/agent/events.ts'
import { withTx } from '../../../src/db/client.ts'
import type { Catalogue } from '../../../src/models/model-catalogue.ts'
import { createLiveRun } from '../../../src/turns/drive/live-runs.ts'
import { runTurn } from '../../../src/turns/drive/run-turn.ts'
import { foldLog } from '../../../src/turns/record/fold-log.ts'
import { LeaseLost, readLog } from '../../../src/turns/record/run-log.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import type { RunEvent } from '../../../src/turns/run/run-events.ts'
import { createTurnStop } from '../../../src/turns/run/turn-stop.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts'
import { makeCaller, useCaller } from '../../support/turns/caller.ts'
import { claimNext } from '../../support/turns/claim.ts'
import { journalOf as attemptJournal, endWith, saidIn } from '../../support/turns/journal.ts'
import { scriptedCatalogue, turnServices } from '../../support/turns/services.ts'
import { start } from '../../support/turns/start.ts'
import { reply } from '../../support/upstream-scripts.ts'
import { useStore } from '../../support/world/store.ts'

let upstream: ScriptedUpstream
let catalogue: Catalogue

const world = useStore()
const { db } = world
const person = useCaller(db)
beforeAll(async () => {
  upstream = await startScriptedUpstream()
  catalogue = await scriptedCatalogue(upstream.baseUrl)
})
afterAll(async () => {
  await catalogue.close()
  await upstream.close()
})

const usage = { promptTokens: 10, completionTokens: 5, estimated: false }
const calls = [1, 2].map((n) => ({ id: `call_${n}`, name: 'list_files', arguments: `{"n":${n}}` }))
const asking: ModelStep = {
  kind: 'model',
  text: 'Let me see.',
  toolCalls: calls,
  reason: 'tool_calls',
  usage,
}

function journalOf(run: Run) {
  const faults: unknown[] = []
  return { journal: attemptJournal(db.database, run, (fault) => faults.push(fault)), faults }
}

const claim = (run: Run) => claimNext(db.database, person, run)

/** Drives the attempt to its end, which must be one. */
async function finish(run: Run): Promise<readonly RunEvent[]> {
  const live = createLiveRun()
  await runTurn(turnServices(db.database, catalogue), run, live, createTurnStop())
  const seen = await saidIn(live, 5_000)
  expect(seen.at(-1)?.type).toBe('run.completed')
  return seen
}

const logOf = (run: Run) => withTx(db.database, 'system', async (tx) => (await readLog(tx, run.id)).events)
const stateOf = (run: Run) => withTx(db.database, 'system', async (tx) => foldLog(await readLog(tx, run.id)))
const brief = (events: readonly RunEvent[]) =>
  events.map((event) => ('step' in event ? `${event.type} ${event.step}` : event.type))
const textOf = (events: readonly RunEvent[]) =>
  events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('')

test('an owner that lost its run writes no event, step, file, hold or end', async () => {
  const run = await start(db.database, person)
  const { journal, faults } = journalOf(run)
  const next = await claim(run)
  const wrote: string[] = []
  const outcome = {
    content: 'x',
    commit: async () => {
      wrote.push('deferred')
      return { files: [] }
    },
  }
  const [call] = calls
  if (!call) throw new Error('no call')
  const before = [await logOf(run), await stateOf(run)]
  journal.event({ type: 'text.delta', step: 1, text: 'x'.repeat(5_000) })
  await expect(journal.tool(1, call, outcome)).rejects.toThrow(LeaseLost)
  journal.model(asking)
  await expect(journal.prepareCall(0n)).rejects.toThrow(LeaseLost)
  await expect(journal.prepareCall(1_000_000n)).rejects.toThrow(LeaseLost)
  await expect(endWith(journal)).rejects.toThrow(LeaseLost)
  await journal.close()
  expect(faults).toEqual([expect.any(LeaseLost)])
  expect([await logOf(run), await stateOf(run)]).toEqual(before)
  expect(journal.costMicros).toBe(0n)
  // The deferred write ran in the transaction that was rolled back.
  expect(wrote).toEqual(['deferred'])
  await endWith(journalOf(next).journal)
})

test('after the end nothing more can be written, and a second end is refused', async () => {
  const run = await start(db.database, person)
  const { journal } = journalOf(run)
  await endWith(journal)
  await expect(endWith(journal)).rejects.toThrow(LeaseLost)
  journal.model(asking)
  await expect(journal.prepareCall(0n)).rejects.toThrow(LeaseLost)
  expect(brief((await logOf(run)).map(({ event }) => event))).toEqual(['run.cancelled'])
})

test('a write that failed loses no event and charges no step', async () => {
  const run = await start(db.database, person)
  const { journal } = journalOf(run)
  const [call] = calls
  if (!call) throw new Error('no call')
  journal.event({ type: 'run.started' })
  journal.event({ type: 'text.delta', step: 1, text: 'Let me' })
  const failing = { content: 'x', commit: () => Promise.reject(new Error('disk full')) }
  await expect(journal.tool(1, call, failing)).rejects.toThrow('disk full')
  expect(journal.costMicros).toBe(0n)
  journal.event({ type: 'text.delta', step: 1, text: ' see.' })
  journal.model(asking)
  await journal.prepareCall(0n)
  expect(journal.costMicros).toBe(3_000n)
  const log = await logOf(run)
  expect(log.map(({ seq }) => seq)).toEqual([1, 2])
  expect(textOf(log.map(({ event }) => event))).toBe('Let me see.')
  await endWith(journal)
})

test('a step that cannot be written fails the next model call and ends the run', async () => {
  const run = await start(db.database, person)
  const { journal, faults } = journalOf(run)
  await db.database.systemPool.query(`create function refuse_step() returns trigger language plpgsql as
    $$ begin raise exception 'refused'; end $$;
    create trigger refuse_step before insert on run_log for each row when (new.steps > 0) execute function refuse_step()`)
  try {
    journal.event({ type: 'run.started' })
    journal.model(asking)
    expect(journal.costMicros).toBe(3_000n)
    await expect.poll(() => journal.costMicros).toBe(0n)
    await expect(journal.prepareCall(0n)).rejects.toMatchObject({ message: 'refused' })
  } finally {
    await db.database.systemPool.query('drop function refuse_step cascade')
  }
  expect(faults).toEqual([])
  await endWith(journal)
  expect(brief((await logOf(run)).map(({ event }) => event))).toEqual(['run.started', 'run.cancelled'])
  expect((await stateOf(run)).steps).toEqual([])
})

test('unhurried events are committed by the timer, and deltas in a row become one', async () => {
  const run = await start(db.database, person)
  const { journal } = journalOf(run)
  for (const text of ['a', 'b', 'c']) journal.event({ type: 'text.delta', step: 1, text })
  await expect.poll(async () => textOf((await logOf(run)).map(({ event }) => event))).toBe('abc')
  expect(await logOf(run)).toHaveLength(1)
  await endWith(journal)
})

test('committed results of parallel calls survive a crash, and the rest follow', async () => {
  const run = await start(db.database, person)
  const { journal } = journalOf(run)
  const [first] = calls
  if (!first) throw new Error('no call')
  journal.event({ type: 'run.started' })
  journal.event({ type: 'step.started', step: 1 })
  journal.event({ type: 'text.delta', step: 1, text: 'Let me see.' })
  journal.model(asking)
  journal.event({ type: 'tool.started', step: 2, name: 'list_files', title: 'List' })
  journal.event({ type: 'tool.started', step: 3, name: 'list_files', title: 'List' })
  await journal.tool(2, first, { content: '{"files":[]}' })
  // The second call goes on for long: what is finished does not wait for it.
  await expect.poll(async () => (await stateOf(run)).steps.length).toBe(2)
  await journal.close()
  upstream.enqueue(reply('Nothing there.'))
  const seen = await finish(await claim(run))
  const log = (await stateOf(run)).events.map(({ event }) => event)
  const finished = (events: readonly RunEvent[]) =>
    brief(events).filter((line) => line.startsWith('tool.finished'))
  expect(finished(log)).toEqual(['tool.finished 2', 'tool.finished 3'])
  expect(finished(seen)).toEqual(['tool.finished 2', 'tool.finished 3'])
  expect(textOf(log)).toBe('Let me see.\n\nNothing there.')
  expect(textOf(seen)).toBe('Let me see.\n\nNothing there.')
  expect((await stateOf(run)).steps.map(({ record }) => record.kind)).toEqual([
    'model',
    'tool',
    'tool',
    'model',
  ])
})

test('a turn that was interrupted again and again ends as failed', async () => {
  let run = await start(db.database, person)
  for (let n = 0; n < 8; n += 1) run = await claim(run)
  await runTurn(turnServices(db.database, catalogue), run, createLiveRun(), createTurnStop())
  expect(brief((await logOf(run)).map(({ event }) => event)).at(-1)).toBe('run.failed')
})

test('the log begins with run.started although the first owner wrote nothing', async () => {
  const run = await start(db.database, person)
  upstream.enqueue(reply('Here.'))
  const seen = await finish(await claim(run))
  const log = (await logOf(run)).map(({ event }) => event)
  for (const told of [brief(seen), brief(log)])
    expect(told.slice(0, 3)).toEqual(['run.started', 'step.restarted 1', 'step.started 1'])
})

test("deleting a session or project deletes its runs' steps and events only", async () => {
  const kept = await start(db.database, person)
  upstream.setDefault([{ text: 'AppendResult.' }])
  await finish(kept)
  const rowsOf = async (run: Run) => {
    const { rows } = await db.database.systemPool.query<{ steps: number; events: number }>(
      `select coalesce(sum(steps), 0)::int as steps, coalesce(sum(events), 0)::int as events from run_log where run_id = $1`,
      [run.id],
    )
    return rows[0]
  }
  for (const [table, column] of [
    ['sessions', 'sessionId'],
    ['projects', 'projectId'],
  ] as const) {
    const other = await makeCaller(db.database)
    const run = await start(db.database, other)
    await finish(run)
    expect(await rowsOf(run)).toEqual({ steps: 1, events: run.eventCount + 4 })
    // As a request of the account deletes it: it sees nothing of others.
    await withTx(db.database, run, (tx) =>
      tx.execute(sql`delete from ${sql.identifier(table)} where id = ${run[column]}`),
    )
    expect(await rowsOf(run)).toEqual({ steps: 0, events: 0 })
  }
  expect(await rowsOf(kept)).toEqual({ steps: 1, events: 4 })
})

test('a new owner extends the hold of a step that its predecessor had extended already', async () => {
  const run = await start(db.database, person, { firstCallMicros: 1_000n })
  const first = journalOf(run)
  expect(await first.journal.prepareCall(5_000n)).toMatchObject({ isHeld: true })
  await first.journal.close()
  const claimed = await claim(run)
  const second = journalOf(claimed)
  expect(await second.journal.prepareCall(3_000n)).toMatchObject({ isHeld: true })
  expect(second.journal.holdMicros).toBe(9_000n)
  await endWith(second.journal)
})
