import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { bodyOf, call, question } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ model: 'built-in' })

test('a request that waits too long for a lock is told to come again', async () => {
  const { db, service, key, accountId } = world
  await withTx(db.database, 'system', async (tx) => {
    // As a process does that was stopped in the middle of a start.
    await tx.execute(sql`select 1 from accounts where id = ${accountId} for update`)
    const refusal = async () => {
      const response = await call(service, key, 'POST', '/v1/chat/completions', question('Who waits?'))
      const { error } = await bodyOf(response)
      return [response.status, response.headers.get('retry-after'), error?.code]
    }
    // On a busy machine the first requests may wait too long for their connection instead.
    await expect.poll(refusal).toEqual([503, '2', 'overloaded'])
  })
  const again = await call(service, key, 'POST', '/v1/chat/completions', question('Who waits?'))
  expect(again.status).toBe(200)
})

test('/readyz fails while the database takes no writes', async () => {
  const { db, service, rows } = world
  const setReadOnly = async (value: 'on' | 'off') => {
    const [{ name } = { name: '' }] = await rows<{ name: string }>('select current_database() as name')
    const admin = await db.database.systemPool.connect()
    await admin.query(`set default_transaction_read_only = off`)
    await admin.query(`alter database "${name}" set default_transaction_read_only = ${value}`)
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [name],
    )
    admin.release(true)
  }
  const status = async () => (await fetch(`${service.url}/readyz`)).status
  expect(await status()).toBe(200)
  await setReadOnly('on')
  await expect.poll(status).toBe(503)
  await setReadOnly('off')
  await expect.poll(status).toBe(200)
})
