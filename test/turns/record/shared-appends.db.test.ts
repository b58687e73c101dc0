import { beforeAll, expect, test } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { readLog } from '../../../src/turns/record/run-log.ts'
import { createSharedAppends, type SharedAppends } from '../../../src/turns/record/shared-appends.ts'
import { createTurnStore } from '../../../src/turns/record/turn-store.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { type Caller, makeCaller } from '../../support/turns/caller.ts'
import { start } from '../../support/turns/start.ts'
import { useStore } from '../../support/world/store.ts'

let people: readonly Caller[]
let appends: SharedAppends

const { db } = useStore()
beforeAll(async () => {
  people = await Promise.all([makeCaller(db.database), makeCaller(db.database)])
  appends = createSharedAppends(createTurnStore(db.database))
})

/** Runs of two accounts in turn. */
const startRuns = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => start(db.database, people[n % 2]!)))

const append = (run: Run, text: string, eventCount = run.eventCount) =>
  appends.append({ ...run, eventCount, stepCount: 0 }, [
    { type: 'text.delta', step: 1, text },
    { type: 'tool.started', step: 1, name: 'list_files', title: 'Lists files' },
    { type: 'text.delta', step: 1, text: 'more' },
  ])

const logOf = async (run: Run) =>
  (await withTx(db.database, run, (tx) => readLog(tx, run.id))).events.map(
    ({ seq, epoch: attempt, event }) => ({
      ...{ seq, epoch: attempt, type: event.type },
    }),
  )

const whole = (run: Run) =>
  ['text.delta', 'tool.started', 'text.delta'].map((type, n) => ({ seq: n + 1, epoch: run.epoch, type }))

test('writes of many runs at once are one transaction, and each log gets its own', async () => {
  const runs = await startRuns(12)
  const written = await Promise.all(runs.map((run, n) => append(run, `text ${n}`)))
  expect(written).toEqual(runs.map(() => true))
  for (const run of runs) expect(await logOf(run)).toEqual(whole(run))
  const { rows } = await db.database.systemPool.query(
    'select count(distinct xmin::text)::int as transactions, count(distinct account_id)::int as accounts from run_log where run_id = any($1)',
    [runs.map(({ id }) => id)],
  )
  expect(rows).toEqual([{ transactions: 1, accounts: 2 }])
})

test('a locked, lost or moved run gets no write, and the other runs get theirs', async () => {
  const [locked, lost, elsewhere, free] = (await startRuns(4)) as [Run, Run, Run, Run]
  await db.database.systemPool.query('update runs set epoch = epoch + 1 where id = $1', [lost.id])
  const locker = await db.database.systemPool.connect()
  await locker.query('begin')
  await locker.query('select from runs where id = $1 for update', [locked.id])
  const written = await Promise.all([
    append(locked, 'a'),
    append(lost, 'b'),
    append(elsewhere, 'c', 7),
    append(free, 'd'),
  ])
  await locker.query('rollback')
  locker.release()
  expect(written).toEqual([false, false, false, true])
  const logs = await Promise.all([locked, lost, elsewhere, free].map(logOf))
  expect(logs).toEqual([[], [], [], whole(free)])
  expect(await append(locked, 'a')).toBe(true)
  expect(await logOf(locked)).toEqual(whole(locked))
})

test('what was written is not written again, whoever believes it was lost', async () => {
  const [run] = (await startRuns(1)) as [Run]
  expect(await append(run, 'a')).toBe(true)
  expect(await append(run, 'a')).toBe(false)
  expect(await logOf(run)).toEqual(whole(run))
})
