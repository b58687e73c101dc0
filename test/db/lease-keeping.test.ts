import { afterAll, beforeAll, expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { renewLeases } from '../../src/turns/leases.ts'
import type { Run } from '../../src/turns/start-turn.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { endRun, makePerson, type Person, start } from '../support/turns.ts'

let db: TestDatabase
let person: Person
const lease = { owner: 'replica_mine', seconds: 15 }

beforeAll(async () => {
  db = await createTestDatabase()
  person = await makePerson(db.database)
})
afterAll(() => db.drop())

const mine = () => start(db.database, person, { owner: lease.owner })
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
    expect(await renew([stuck, free], 'skip')).toEqual(new Set([free.id]))
  })
  expect(await renew([stuck], 'wait')).toEqual(new Set([stuck.id]))
})

test('the lease of another owner, and of a run that has ended, is not prolonged', async () => {
  const [other, ended] = [await start(db.database, person), await mine()]
  await endRun(db.database, ended)
  expect(await renew([other, ended], 'wait')).toEqual(new Set())
})

test('a turn that has not ended a minute after its deadline loses its lease, whatever its owner does', async () => {
  const run = await mine()
  const setDeadline = (secondsAgo: number) =>
    db.database.systemPool.query(
      'update runs set deadline_at = now() - make_interval(secs => $2) where id = $1',
      [run.id, secondsAgo],
    )
  await setDeadline(50)
  expect(await renew([run], 'wait')).toEqual(new Set([run.id]))
  await setDeadline(61)
  expect(await renew([run], 'wait')).toEqual(new Set())
})
