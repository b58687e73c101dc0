import { beforeAll, expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { accounts, projects } from '../../src/db/schema/index.ts'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()
beforeAll(async () => {
  const make = async (id: string) => {
    await db.database.system
      .insert(accounts)
      .values({ id, email: `${id}@example.org`, plan: 'pro', passwordHash: 'x' })
    await db.database.system.insert(projects).values({ id: `proj_${id}`, accountId: id, name: id })
  }
  await make('a')
  await make('b')
})

const visibleProjects = (scope: 'system' | { accountId: string }) =>
  withTx(db.database, scope, async (tx) => (await tx.select().from(projects)).map((p) => p.id).sort())

test('a transaction of an account sees only its own rows', async () => {
  expect(await visibleProjects({ accountId: 'a' })).toEqual(['proj_a'])
  expect(await visibleProjects('system')).toEqual(['proj_a', 'proj_b'])
})

test('a query without an account context sees no tenant row in any tenant table', async () => {
  const tables = await db.database.tenantPool.query<{ name: string }>(
    `select relname as name from pg_class where relrowsecurity and relforcerowsecurity and relkind = 'r'`,
  )
  expect(tables.rows.length).toBe(40)
  const seen = await db.database.tenantPool.query('select id from projects union all select id from accounts')
  expect(seen.rows).toEqual([])
})

test('an account cannot write a row for another account', async () => {
  const write = withTx(db.database, { accountId: 'a' }, (tx) =>
    tx.insert(projects).values({ id: 'proj_x', accountId: 'b', name: 'x' }),
  )
  await expect(write).rejects.toMatchObject({
    cause: { message: expect.stringContaining('row-level security') },
  })
})

test('ledger rows refuse update, delete and truncate for every role', async () => {
  const { system } = db.database
  await system.execute(
    `insert into ledger (account_id, kind, allowance_micros, granted_micros) values ('a', 'grant', 0, 5)`,
  )
  for (const change of ['update ledger set granted_micros = 6', 'delete from ledger', 'truncate ledger']) {
    await expect(system.execute(change)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('ledger rows cannot be changed') },
    })
  }
})
