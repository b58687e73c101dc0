import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { databaseFault, isUnavailable } from '../../src/db/errors.ts'
import { createTestDatabase } from '../support/database.ts'

test('a connection that is lost between two statements fails its transaction, not the process', async () => {
  const db = await createTestDatabase()
  const { database } = db
  const uncaught: unknown[] = []
  const catchIt = (error: unknown) => void uncaught.push(error)
  process.on('uncaughtException', catchIt)
  try {
    const outcome = withTx(database, 'system', async (tx) => {
      const own = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      const pid = own.rows[0]?.pid ?? 0
      await database.system.execute(sql`select pg_terminate_backend(${pid})`)
      // Until the server has let go of it; what it had to say about that is here by then.
      for (let round = 0; round < 100; round += 1) {
        const left = await database.system.execute(sql`select 1 from pg_stat_activity where pid = ${pid}`)
        if (left.rows.length === 0) break
        await delay(20)
      }
      await tx.execute(sql`select 1`)
    })
    const fault = databaseFault(await outcome.catch((error: unknown) => error))
    expect(fault && isUnavailable(fault)).toBe(true)
    expect(uncaught).toEqual([])
    const again = await withTx(database, 'system', (tx) => tx.execute<{ one: number }>(sql`select 1 as one`))
    expect(again.rows).toEqual([{ one: 1 }])
  } finally {
    process.off('uncaughtException', catchIt)
    await db.drop()
  }
})
