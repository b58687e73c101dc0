import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { openSignals, type Signals } from '../../../src/turns/replicas/signals.ts'
import { useStore } from '../../support/world/store.ts'

const opened: Signals[] = []

const { db } = useStore()
afterEach(async () => {
  await Promise.all(opened.splice(0).map((signals) => signals.close()))
})

function open(): Signals {
  const signals = openSignals(db.database.system, db.url, pino({ level: 'silent' }))
  opened.push(signals)
  return signals
}

const listeners = `from pg_stat_activity where datname = current_database()
  and application_name = 'meduyak-listener' and (query like 'listen %' or query = 'select 1')`

/** Process ids of the connections that listen. */
async function listening(): Promise<readonly number[]> {
  const { rows } = await db.database.systemPool.query<{ pid: number }>(`select pid ${listeners}`)
  return rows.map(({ pid }) => pid)
}

const kill = () => db.database.systemPool.query(`select pg_terminate_backend(pid) ${listeners}`)

/** Waits for a signal, longer than a test may take. */
const wait = (signals: Signals, runId: string) =>
  signals.waitForEvents(runId, 600_000, new AbortController().signal)

test('a lost listening connection comes back each time and wakes those who waited meanwhile', async () => {
  const signals = open()
  for (let n = 0; n < 3; n += 1) {
    await expect.poll(listening).toHaveLength(1)
    const [before] = await listening()
    const waited = wait(signals, 'run_a')
    await kill()
    await waited
    const after = await listening()
    expect(after).toHaveLength(1)
    expect(after).not.toContain(before)
  }
  // And it hears again.
  const next = wait(signals, 'run_b')
  signals.send({ kind: 'events', runId: 'run_b' })
  await next
})

test('what was not sent yet is sent when the signals are closed', async () => {
  const [leaving, staying] = [open(), open()]
  await expect.poll(listening).toHaveLength(2)
  const heard = Promise.withResolvers<string>()
  staying.subscribe((signal) => 'runId' in signal && heard.resolve(signal.runId))
  leaving.send({ kind: 'claim', runId: 'run_d' })
  await leaving.close()
  expect(await heard.promise).toBe('run_d')
})
