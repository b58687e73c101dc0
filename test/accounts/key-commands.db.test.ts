import { beforeAll, expect, test } from 'vitest'
import { runLine } from '../support/command-line.ts'
import { useDatabase } from '../support/database.ts'
import { makeAccount } from '../support/world/accounts.ts'

let email: string

const db = useDatabase()
beforeAll(async () => {
  email = (await makeAccount(db.database)).email
})

const run = async (...words: readonly string[]) => JSON.parse(await runLine(db, [...words, '--json']))
const create = (...options: readonly string[]) => run('keys', 'create', '--account', email, ...options)

test('keys create sets limits and defaults, and keys list shows them', async () => {
  const made = await create('--day-cap', '2.5', '--tools', 'none', '--on-disconnect', 'cancel')
  expect(made.settings).toBe('day_cap=2.5 on_disconnect=cancel tools=none')
  const listed = await run('keys', 'list', '--account', email)
  expect(listed.find(({ id }: { id: string }) => id === made.id).settings).toBe(made.settings)
})

test('keys change changes what it is given, removes what is empty, and keeps the rest', async () => {
  const { id } = await create(
    '--name',
    'Bot',
    '--day-cap',
    '2',
    '--month-cap',
    '10',
    '--model',
    'service-lite',
  )
  const changed = await run('keys', 'change', id, '--day-cap', '', '--total-cap', '7')
  expect(changed).toMatchObject({ id, name: 'Bot', settings: 'month_cap=10 total_cap=7 model=service-lite' })
  expect(await run('keys', 'change', id, '--name', 'Other')).toMatchObject({
    name: 'Other',
    settings: changed.settings,
  })
})

test('keys change leaves an entry in the audit log, and refuses a revoked key', async () => {
  const { id } = await create()
  await run('keys', 'change', id, '--requests-per-minute', '5')
  const entries = `select details from audit_log where action = 'key.changed' order by id desc limit 1`
  const { rows } = await db.database.systemPool.query(entries)
  expect(rows).toEqual([{ details: { key: id } }])
  await run('keys', 'revoke', id)
  await expect(run('keys', 'change', id, '--name', 'x')).rejects.toMatchObject({ code: 'not_found' })
})

test('an invalid limit is refused, and creates no key', async () => {
  const before = await run('keys', 'list', '--account', email)
  await expect(create('--concurrent-turns', '0')).rejects.toMatchObject({ param: 'concurrent_turns' })
  expect(await run('keys', 'list', '--account', email)).toHaveLength(before.length)
})
