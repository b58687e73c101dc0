import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { call, question } from '../support/world/requests.ts'
import { openWorld } from '../support/world/world.ts'

test('a request that waits too long for a lock is told to come again', async () => {
  const world = await openWorld({ model: 'built-in' })
  const { db, service, key, accountId } = world
  await withTx(db.database, 'system', async (tx) => {
    // As a process does that was stopped in the middle of a start.
    await tx.execute(sql`select 1 from accounts where id = ${accountId} for update`)
    const response = await call(service, key, 'POST', '/v1/chat/completions', question('Who waits?'))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('2')
    expect(await response.json()).toMatchObject({ error: { code: 'overloaded' } })
  })
  const again = await call(service, key, 'POST', '/v1/chat/completions', question('Who waits?'))
  expect(again.status).toBe(200)
  await world.close()
})
