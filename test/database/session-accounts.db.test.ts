import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { makeCaller } from '../support/turns/caller.ts'
import { start } from '../support/turns/start.ts'

const key = 'sessions_account_id_accounts_id_fk'
const file = 'migrations/0026_shared_rules.sql'

let db: TestDatabase
let client: pg.PoolClient

/** As before the migration, with a session of a turn. */
beforeEach(async () => {
  db = await createTestDatabase()
  client = await db.database.systemPool.connect()
  await start(db.database, await makeCaller(db.database))
  await client.query(`alter table sessions drop constraint ${key}`)
})
afterEach(async () => {
  client.release(true)
  await db.drop()
})

async function migrate(): Promise<void> {
  const statements = (await readFile(file, 'utf8')).split('--> statement-breakpoint')
  const own = statements.filter((text) => text.includes(key) || text.includes('LOCK TABLE'))
  expect(own).toHaveLength(3)
  for (const text of own) await client.query(`begin; ${text}; commit`)
}

const isValidated = async () =>
  (await client.query('select convalidated from pg_constraint where conname = $1', [key])).rows

const insertWithoutAccount = () =>
  client.query(
    `insert into sessions (id, account_id, project_id, model, name) select $1, 'acct_none', id, 'm', '' from projects limit 1`,
    [newId('session')],
  )

test('the migration makes each session refer to an account', async () => {
  await migrate()
  expect(await isValidated()).toEqual([{ convalidated: true }])
  await expect(insertWithoutAccount()).rejects.toMatchObject({ code: '23503' })
})

test('the migration keeps an old session without an account, and refuses new ones', async () => {
  await insertWithoutAccount()
  await migrate()
  expect(await isValidated()).toEqual([{ convalidated: false }])
  const { rows } = await client.query(
    `select count(*)::int as n from sessions where account_id = 'acct_none'`,
  )
  expect(rows).toEqual([{ n: 1 }])
  await expect(insertWithoutAccount()).rejects.toMatchObject({ code: '23503' })
})
