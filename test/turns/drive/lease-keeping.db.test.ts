import { expect, test } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { newId } from '../../../src/ids.ts'
import { renewLeases, stoppableRuns } from '../../../src/turns/drive/leases.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { useCaller } from '../../support/turns/caller.ts'
import { endRun } from '../../support/turns/journal.ts'
import { start } from '../../support/turns/start.ts'
import { useStore } from '../../support/world/store.ts'

const lease = { owner: 'replica_mine', seconds: 15 }

const { db } = useStore()
const person = useCaller(db)

const mine = () => start(db.database, person, { owner: lease.owner })
/** What was not renewed. */
const renew = (runs: readonly Run[], locked: 'skip' | 'wait') =>
  withTx(db.database, 'system', (tx) =>
    renewLeases(
      tx,
      lease,
      runs.map(({ id }) => id),
      locked,
    ),
  )

test('a run that hangs in a transaction costs no other run its lease', async () => {
  const [stuck, free] = [await mine(), await mine()]
  await withTx(db.database, 'system', async (tx) => {
    await tx.execute(`select 1 from runs where id = '${stuck.id}' for update`)
    expect(await renew([stuck, free], 'skip')).toEqual([stuck.id])
  })
  expect(await renew([stuck], 'wait')).toEqual([])
})

test('the lease of another owner, and of a run that has ended, is not prolonged', async () => {
  const [other, ended] = [await start(db.database, person), await mine()]
  await endRun(db.database, ended)
  expect(new Set(await renew([other, ended], 'wait'))).toEqual(new Set([other.id, ended.id]))
})

test('a turn that runs a minute past its deadline loses its lease', async () => {
  const run = await mine()
  const setDeadline = (secondsAgo: number) =>
    db.database.systemPool.query(
      'update runs set deadline_at = now() - make_interval(secs => $2) where id = $1',
      [run.id, secondsAgo],
    )
  await setDeadline(50)
  expect(await renew([run], 'wait')).toEqual([])
  await setDeadline(61)
  expect(await renew([run], 'wait')).toEqual([run.id])
})

test('an owner learns of its lost, deleted and cancelled runs, and of no others', async () => {
  const [healthy, taken, cancelled] = [await mine(), await mine(), await mine()]
  await db.database.systemPool.query('update runs set epoch = epoch + 1 where id = $1', [taken.id])
  await db.database.systemPool.query('update runs set cancel_requested_at = now() where id = $1', [
    cancelled.id,
  ])
  const gone = { ...healthy, id: newId('run') }
  const marked = await withTx(db.database, 'system', (tx) =>
    stoppableRuns(tx, [healthy, taken, cancelled, gone]),
  )
  expect(new Set(marked)).toEqual(
    new Set([
      { id: taken.id, lost: true },
      { id: cancelled.id, lost: false },
      { id: gone.id, lost: true },
    ]),
  )
})
