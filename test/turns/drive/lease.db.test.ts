import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import type { Catalogue } from '../../../src/models/model-catalogue.ts'
import { createLiveRun, type LiveRun } from '../../../src/turns/drive/live-runs.ts'
import { type Outcome, runTurn } from '../../../src/turns/drive/run-turn.ts'
import { createRunner, type Runner } from '../../../src/turns/drive/runner.ts'
import { endOfRun } from '../../../src/turns/read/follow.ts'
import { foldLog } from '../../../src/turns/record/fold-log.ts'
import { readLog } from '../../../src/turns/record/run-log.ts'
import type { Pressure } from '../../../src/turns/replicas/pressure.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { isTerminal, type TerminalEvent } from '../../../src/turns/run/run-events.ts'
import { requestCancel } from '../../../src/turns/run/runs.ts'
import { createTurnStop } from '../../../src/turns/run/turn-stop.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts'
import { useCaller } from '../../support/turns/caller.ts'
import { saidIn } from '../../support/turns/journal.ts'
import { scriptedCatalogue, turnServices } from '../../support/turns/services.ts'
import { start } from '../../support/turns/start.ts'
import { callTools, gate, reply } from '../../support/upstream-scripts.ts'
import { useStore } from '../../support/world/store.ts'

let upstream: ScriptedUpstream
let catalogue: Catalogue
const runners: Runner[] = []

const world = useStore()
const { db } = world
const person = useCaller(db)
beforeEach(async () => {
  upstream = await startScriptedUpstream()
  catalogue = await scriptedCatalogue(upstream.baseUrl)
})
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.drain()))
  await catalogue.close()
  await upstream.close()
  expect(await world.broken()).toEqual([])
})

function newRunner(pressure?: Pressure): Runner {
  const { signals: _, ...services } = turnServices(db.database, catalogue)
  const runner = createRunner({ ...services, pressure })
  runners.push(runner)
  return runner
}

type Attempt = { readonly live: LiveRun; readonly done: Promise<Outcome> }

/** Drives a run as its owner, without a runner: this owner sends no heartbeat. */
function attempt(run: Run): Attempt {
  const live = createLiveRun()
  const done = runTurn(turnServices(db.database, catalogue), run, live, createTurnStop())
  return { live, done }
}

/** The owner's lease has run out. */
const expireLease = (run: Run) =>
  db.database.systemPool.query(
    `update runs set lease_expires_at = now() - interval '1 second' where id = $1`,
    [run.id],
  )

async function endSeenBy(runner: Runner, run: Run): Promise<TerminalEvent> {
  const services = { ...turnServices(db.database, catalogue), runner }
  const end = await endOfRun(services, run, AbortSignal.timeout(120_000))
  if (!end) throw new Error('the run had no end')
  return end
}

async function waitForText(live: LiveRun, text: string): Promise<void> {
  let seen = ''
  const isSaid = await live.read(AbortSignal.timeout(120_000), (batch) => {
    for (const event of batch) if (event.type === 'text.delta') seen += event.text
    return seen.includes(text)
  })
  if (!isSaid) throw new Error(`ended before ${text}`)
}

const committed = (run: Run) => withTx(db.database, 'system', (tx) => readLog(tx, run.id))

/** What a reader shows that starts now: the events that are not void, their text joined. */
async function shownNow(run: Run) {
  const events = foldLog(await committed(run)).events.map(({ event }) => event)
  return {
    text: events.map((event) => (event.type === 'text.delta' ? event.text : '')).join(''),
    tools: events.flatMap((event) => (event.type === 'tool.finished' ? [event.step] : [])),
    ends: events.filter(isTerminal).length,
  }
}

/** Every row that belongs to the run, as text. */
async function everythingOf(run: Run): Promise<unknown> {
  const tables = ['runs', 'run_log', 'messages', 'ledger'] as const
  const rows = tables.map(async (table) => {
    const key = table === 'runs' ? 'id' : 'run_id'
    const { rows: found } = await db.database.systemPool.query<{ row: string }>(
      `select t::text as row from ${table} t where ${key} = $1 order by 1`,
      [run.id],
    )
    return [table, found.map(({ row }) => row)]
  })
  return Promise.all(rows)
}

const rowOf = async (run: Run) => {
  const { rows } = await db.database.systemPool.query<{
    status: string
    epoch: number
    step_count: number
    lease_owner: string | null
  }>('select status, epoch, step_count, lease_owner from runs where id = $1', [run.id])
  return rows[0]
}

const listFiles = { name: 'list_files', arguments: {} }

test('a run whose owner died continues from its last step and ends once', async () => {
  const late = gate()
  upstream.enqueue(
    callTools([listFiles], { text: 'Let me see.' }),
    [{ text: 'What nobody is to read' }, { waitFor: late.opened }, { text: ', said too late.' }],
    reply('The final answer.'),
  )
  const run = await start(db.database, person)
  const first = attempt(run)
  await waitForText(first.live, 'nobody is to read')
  const runner = newRunner()
  await expireLease(run)
  const end = await endSeenBy(runner, run)
  expect(end).toMatchObject({
    type: 'run.completed',
    end: { text: 'Let me see.\n\nThe final answer.', usage: { model_calls: 2, tool_calls: 1 } },
  })
  // One model call was repeated; the tool's step was not.
  expect(upstream.requests).toHaveLength(3)
  expect(upstream.requests[2]?.body.messages).toEqual(upstream.requests[1]?.body.messages)
  const settled = await everythingOf(run)
  late.open()
  await first.done
  expect(await everythingOf(run)).toEqual(settled)
  expect(await rowOf(run)).toEqual({ status: 'completed', epoch: 2, step_count: 3, lease_owner: null })
  expect(await shownNow(run)).toEqual({ text: 'Let me see.\n\nThe final answer.', tools: [2], ends: 1 })
  // The readers of the late owner were let go without an end.
  const seen = await saidIn(first.live, 5_000)
  expect(seen.map(({ type }) => type)).not.toContain('run.completed')
})

test('a late owner writes no event, step or end during the next attempt', async () => {
  const [late, current] = [gate(), gate()]
  upstream.enqueue(
    [{ text: 'Old' }, { waitFor: late.opened }, { text: ' words.' }],
    [{ text: 'New' }, { waitFor: current.opened }, { text: ' words.' }],
  )
  const run = await start(db.database, person)
  const first = attempt(run)
  await waitForText(first.live, 'Old')
  const runner = newRunner()
  await expireLease(run)
  await upstream.request(1)
  late.open()
  await first.done
  expect(await rowOf(run)).toMatchObject({ status: 'in_progress', epoch: 2, step_count: 0 })
  current.open()
  expect(await endSeenBy(runner, run)).toMatchObject({ type: 'run.completed', end: { text: 'New words.' } })
  expect(await shownNow(run)).toEqual({ text: 'New words.', tools: [], ends: 1 })
})

test('of several replicas one takes the run over', async () => {
  upstream.setDefault(reply('Once.'))
  const run = await start(db.database, person)
  const [one] = [newRunner(), newRunner(), newRunner()]
  await expireLease(run)
  expect(await endSeenBy(one, run)).toMatchObject({ type: 'run.completed', end: { text: 'Once.' } })
  expect(await rowOf(run)).toMatchObject({ epoch: 2 })
  expect(upstream.requests).toHaveLength(1)
})

test('a process takes over no run while it is short of memory', async () => {
  upstream.setDefault(reply('Later.'))
  const run = await start(db.database, person)
  await expireLease(run)
  const looks: boolean[] = []
  let isShort = true
  const isShortOfMemory = () => {
    looks.push(isShort)
    return isShort
  }
  const runner = newRunner({ isShortOfMemory, reason: () => undefined, stop: () => undefined })
  await expect.poll(() => looks.length).toBeGreaterThan(1)
  expect(await rowOf(run)).toMatchObject({ epoch: 1 })
  isShort = false
  expect(await endSeenBy(runner, run)).toMatchObject({ type: 'run.completed', end: { text: 'Later.' } })
})

test('a run whose lease is valid is left alone', async () => {
  const rest = gate()
  upstream.enqueue([{ text: 'Mine' }, { waitFor: rest.opened }, { text: ' alone.' }])
  upstream.setDefault(reply('Elsewhere.'))
  const mine = await start(db.database, person)
  const first = attempt(mine)
  await waitForText(first.live, 'Mine')
  // Another run is taken over meanwhile, so the runner has looked.
  const runner = newRunner()
  const other = await start(db.database, person)
  await expireLease(other)
  await endSeenBy(runner, other)
  expect(await rowOf(mine)).toMatchObject({ epoch: 1, lease_owner: 'replica_gone' })
  rest.open()
  await first.done
  expect(await shownNow(mine)).toMatchObject({ text: 'Mine alone.', ends: 1 })
})

test('a cancelled run whose owner died ends without another model call', async () => {
  const late = gate()
  upstream.enqueue(callTools([listFiles], { text: 'So far.' }), [
    { waitFor: late.opened },
    { text: 'Too late.' },
  ])
  const run = await start(db.database, person)
  const first = attempt(run)
  await upstream.request(1)
  await withTx(db.database, run, (tx) => requestCancel(tx, run.id))
  const runner = newRunner()
  await expireLease(run)
  expect(await endSeenBy(runner, run)).toMatchObject({ type: 'run.cancelled', end: { text: 'So far.' } })
  late.open()
  await first.done
  expect(await rowOf(run)).toMatchObject({ status: 'cancelled', step_count: 2 })
  expect(upstream.requests).toHaveLength(2)
})

test('a process that shuts down hands its runs over, and they are continued at once', async () => {
  const rest = gate()
  upstream.enqueue([{ text: 'Half' }, { waitFor: rest.opened }], reply('Whole.'))
  const leaving = newRunner()
  const run = await start(db.database, person, { owner: leaving.lease.owner })
  const live = leaving.start(run)
  await waitForText(live, 'Half')
  await leaving.drain()
  expect(await rowOf(run)).toMatchObject({ status: 'in_progress', epoch: 1, lease_owner: null })
  expect(await endSeenBy(newRunner(), run)).toMatchObject({ type: 'run.completed', end: { text: 'Whole.' } })
  rest.open()
})

test('a process that claims its own run anew drives it once', async () => {
  const [late, current] = [gate(), gate()]
  upstream.enqueue(
    [{ text: 'Old' }, { waitFor: late.opened }, { text: ' words.' }],
    [{ text: 'New' }, { waitFor: current.opened }, { text: ' words.' }],
  )
  const runner = newRunner()
  const run = await start(db.database, person, { owner: runner.lease.owner })
  const old = runner.start(run)
  await waitForText(old, 'Old')
  await expireLease(run)
  const second = await upstream.request(1)
  // The first attempt was stopped, and the process still knows that it drives the run.
  expect(await upstream.requests[0]?.ended).toBe('cut')
  await vi.waitFor(() => expect(runner.find(run.id)).toBeDefined())
  expect(runner.find(run.id)).not.toBe(old)
  current.open()
  expect(await endSeenBy(runner, run)).toMatchObject({ end: { text: 'New words.' } })
  expect(await second.ended).toBe('complete')
  late.open()
})
