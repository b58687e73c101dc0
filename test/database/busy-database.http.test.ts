import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { call, makeAccount, makeKey, question, startTestService } from '../support/service.ts'

test('a request that waits too long for a lock is told to come again', async () => {
  const db = await createTestDatabase()
  const service = await startTestService(db.database)
  const { id } = await makeAccount(db.database)
  const key = await makeKey(db.database, id)
  await withTx(db.database, 'system', async (tx) => {
    // As a process does that was stopped in the middle of a start.
    await tx.execute(sql`select 1 from accounts where id = ${id} for update`)
    const response = await call(service, key, 'POST', '/v1/chat/completions', question('Who waits?'))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('2')
    expect(await response.json()).toMatchObject({ error: { code: 'overloaded' } })
  })
  const again = await call(service, key, 'POST', '/v1/chat/completions', question('Who waits?'))
  expect(again.status).toBe(200)
  await service.stop()
  await db.drop()
})
