import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import {
  type Database,
  openDatabase,
  withBackgroundTx,
  withImportTx,
  withIndexedTx,
  withTx,
} from '../../src/db/client.ts'
import { databaseFault, isTransient, isUnavailable } from '../../src/db/errors.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts'

let db: TestDatabase
let proxy: PostgresProxy
let database: Database
const uncaught: unknown[] = []
const catchIt = (error: unknown) => void uncaught.push(error)

beforeAll(async () => {
  process.on('uncaughtException', catchIt)
  db = await createTestDatabase()
  proxy = await startPostgresProxy(db.url)
  database = openDatabase({ url: proxy.url, onIdleError: () => undefined, maxConnections: 4 })
})
afterAll(async () => {
  process.off('uncaughtException', catchIt)
  await database.close()
  await proxy.close()
  await db.drop()
})

/** Ends every connection to the database, as an administrator does. */
async function killAll(): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('postgres').adminUrl })
  await admin.connect()
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [
    new URL(db.url).pathname.slice(1),
  ])
  await admin.end()
}

const select = (timesOpen: number) =>
  Promise.all(
    Array.from({ length: timesOpen }, () => withTx(database, 'system', (tx) => tx.execute('select 1'))),
  )

const faultOf = async (work: Promise<unknown>) => {
  const fault = databaseFault(
    await work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  )
  if (!fault) throw new Error('no database fault')
  return fault
}

test('a connection lost in a transaction fails the transaction, not the process', async () => {
  const between = withTx(database, 'system', async (tx) => {
    await tx.execute('select 1')
    await killAll()
    await tx.execute('select 2')
  })
  expect(isUnavailable(await faultOf(between))).toBe(true)
  const during = withTx(database, 'system', async (tx) => {
    const sleep = tx.execute('select pg_sleep(5)')
    await Promise.all([sleep, killAll()])
  })
  expect(isUnavailable(await faultOf(during))).toBe(true)
  const nested = database.system.transaction(async (tx) => {
    await tx.execute('select 1')
    await killAll()
    await tx.execute('select 2')
  })
  expect(isUnavailable(await faultOf(nested))).toBe(true)
  await select(1)
  expect(uncaught).toEqual([])
})

test('a transaction works after every idle connection was cut', async () => {
  for (let round = 0; round < 5; round += 1) {
    await select(4)
    proxy.cutAll()
    // At once: the pool has not heard yet that its connections are gone.
    await select(4)
  }
})

// The kernel would wait a quarter of an hour, which is longer than a test may take.
test('a transaction fails when its database host stops answering', async () => {
  await select(4)
  await withIndexedTx(database, { accountId: 'none' }, (tx) => tx.execute('select 1'))
  proxy.stall(true)
  const faults = await Promise.all([
    faultOf(withTx(database, 'system', (tx) => tx.execute('select 1'))),
    faultOf(withIndexedTx(database, { accountId: 'none' }, (tx) => tx.execute('select 1'))),
    faultOf(withBackgroundTx(database, (tx) => tx.execute('select 1'))),
  ])
  expect(faults.map(isUnavailable)).toEqual([true, true, true])
  proxy.stall(false)
  await select(4)
  expect(uncaught).toEqual([])
})

test('an import waits for a connection that other transactions give up', async () => {
  proxy.cutAll()
  proxy.stall(true)
  const importing = withImportTx(database, (tx) => tx.execute('select 1'))
  expect(isUnavailable(await faultOf(withTx(database, 'system', (tx) => tx.execute('select 1'))))).toBe(true)
  proxy.stall(false)
  await expect(importing).resolves.toMatchObject({ rowCount: 1 })
  await select(4)
})

test('an import connects again after its connections were refused', async () => {
  proxy.cutAll()
  proxy.refuse(true)
  let begun = 0
  const importing = withImportTx(database, (tx) => {
    begun += 1
    return tx.execute('select 1')
  })
  expect(isUnavailable(await faultOf(withTx(database, 'system', (tx) => tx.execute('select 1'))))).toBe(true)
  proxy.refuse(false)
  await importing
  expect(begun).toBe(1)
})

test('a transaction that stalls is cut off and has written nothing', async () => {
  await database.system.execute(sql`create table if not exists standing (n int)`)
  const standing = withBackgroundTx(database, async (tx) => {
    await tx.execute(sql`insert into standing values (1)`)
    proxy.stall(true)
    await tx.execute(sql`insert into standing values (2)`)
  })
  expect(isTransient(await faultOf(standing))).toBe(true)
  proxy.stall(false)
  const { rows } = await db.database.system.execute(sql`select n from standing`)
  expect(rows).toEqual([])
})

test('a transaction that swallowed a failed statement reports its rollback', async () => {
  const swallowed = withTx(database, 'system', (tx) => tx.execute('select 1 / 0').catch(() => 'fine'))
  await expect(swallowed).rejects.toThrow('rolled back')
})

test.each([
  ['53100', true, true],
  ['25006', true, true],
  ['57P01', true, true],
  ['57P03', true, true],
  ['53300', true, true],
  ['40001', false, true],
  ['40P01', false, true],
  ['55P03', false, true],
  ['57014', false, true],
  ['23505', false, false],
  ['42P01', false, false],
])('SQLSTATE %s: unavailable %s, may pass %s', (code, unavailable, transient) => {
  const fault = databaseFault(Object.assign(new Error('x'), { code }))
  expect(fault && [isUnavailable(fault), isTransient(fault)]).toEqual([unavailable, transient])
})
