import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../support/database.ts'

const folder = 'src/db/functions'

let client: pg.PoolClient

const db = useDatabase()
beforeAll(async () => {
  client = await db.database.systemPool.connect()
})
afterAll(async () => {
  client.release()
})

async function definitionOf(name: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ definition: string }>(
    'select pg_get_functiondef(oid) as definition from pg_proc where proname = $1',
    [name],
  )
  return rows.map(({ definition }) => definition)
}

const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql'))

test.each(files)('migrations install the function of %s', async (file) => {
  const name = path.basename(file, '.sql')
  const source = await readFile(`${folder}/${file}`, 'utf8')
  const installed = await definitionOf(name)
  await client.query('begin')
  try {
    const drop =
      "select format('drop function %s cascade', oid::regprocedure) as text from pg_proc where proname = $1"
    for (const { text } of (await client.query<{ text: string }>(drop, [name])).rows) await client.query(text)
    await client.query(source)
    expect(installed).toEqual(await definitionOf(name))
  } finally {
    await client.query('rollback')
  }
})
