import { pino } from 'pino'
import { expect, test } from 'vitest'
import { connectionsPerProcess, warnOfFewConnections } from '../../src/operations/connection-room.ts'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()

async function warned(connections: number): Promise<readonly unknown[]> {
  const name = new URL(db.url).pathname.slice(1)
  await db.database.systemPool.query(`alter database "${name}" connection limit ${connections}`)
  const lines: unknown[] = []
  const log = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) })
  await warnOfFewConnections(db.database, log)
  return lines
}

test('a start warns when Postgres allows fewer connections than one process can use', async () => {
  const allowed = connectionsPerProcess - 1
  expect(await warned(allowed)).toMatchObject([{ level: 40, allowed, used: connectionsPerProcess }])
  expect(await warned(connectionsPerProcess)).toEqual([])
})
