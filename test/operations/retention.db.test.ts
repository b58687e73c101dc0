import { beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { removeExpired } from '../../src/operations/retention.ts'
import { useDatabase } from '../support/database.ts'
import { makeAccount, makeProject } from '../support/world/accounts.ts'

let accountId: string

const run = (statement: string, values: readonly unknown[] = []) =>
  db.database.systemPool.query(statement, [...values])
const count = async (table: string) => Number((await run(`select count(*) as n from ${table}`)).rows[0].n)

const db = useDatabase()
beforeAll(async () => {
  accountId = (await makeAccount(db.database)).id
  const projectId = await makeProject(db.database, accountId)
  await run(
    `insert into sessions (id, account_id, project_id, model, name) values ('s', $1, $2, 'service', '')`,
    [accountId, projectId],
  )
  await run(
    `insert into runs (id, account_id, project_id, session_id, message_id, turn, model, status, request, hold_micros, held_allowance_micros,
       most_micros, deadline_at, finished_at)
     select 'r' || i, $1, $2, 's', 'm' || i, i, 'service', 'completed', '{}', 0, 0, 0, now(),
       now() - make_interval(hours => case when i <= 4500 then 25 else 23 end)
     from generate_series(1, 4510) i`,
    [accountId, projectId],
  )
})

beforeEach(async () => {
  await run('delete from run_log')
  await run('delete from idempotency_keys')
})

const keys = (n: number, age: string) =>
  run(
    `insert into idempotency_keys (account_id, api_key_id, key, request_hash, run_id, expires_at)
     select $1, 'k', '${age}' || i, '', 'r1', now() ${age} interval '1 hour' from generate_series(1, ${n}) i`,
    [accountId],
  )

test('all that has expired goes, in more batches than one, and nothing else', async () => {
  await keys(12_001, '-')
  await keys(3, '+')
  await run(
    `insert into run_log (run_id, seq, step, account_id, epoch, events, steps, cost_micros, entries, created_at)
     select id, seq, seq, $1, 1, 1, seq - 1, 0, case seq when 1 then '[{}]' else '[{}, {"type": "step"}]' end::jsonb, finished_at
     from runs, generate_series(1, 2) seq`,
    [accountId],
  )
  await run(
    `insert into file_versions (id, account_id, version, state, content_type, created_at)
     select 'v' || i, $1, 1, case when i = 4 then 'sealed' else 'uploading' end, 'text/plain',
       now() - make_interval(hours => case when i = 3 then 23 else 25 end) from generate_series(1, 4) i`,
    [accountId],
  )
  await run(
    `insert into web_sessions (digest, account_id, created_at, seen_at)
     select decode(lpad(i::text, 64, '0'), 'hex'), $1, now() - make_interval(days => case when i = 1 then 61 else 20 end),
       now() - make_interval(days => case when i = 2 then 15 else 1 end) from generate_series(1, 3) i`,
    [accountId],
  )
  expect(await removeExpired(db.database)).toBe(12_001 + 2 + 4_500 + 2)
  expect((await run(`select right(encode(digest, 'hex'), 1) as n from web_sessions`)).rows).toEqual([
    { n: '3' },
  ])
  expect([await count('idempotency_keys'), await count('run_log where events > 0')]).toEqual([3, 20])
  expect(await count(`run_log where events = 0 and entries = '[{"type": "step"}]'`)).toBe(4_500)
  expect((await run('select id from file_versions order by id')).rows).toEqual([{ id: 'v3' }, { id: 'v4' }])
  expect(await count('runs')).toBe(4_510)
  expect(await removeExpired(db.database)).toBe(0)
})

test('while one replica is at it another leaves it alone', async () => {
  const replica = openDatabase({ url: db.url, onIdleError: () => undefined, maxConnections: 2 })
  await keys(5, '-')
  const holder = await db.database.systemPool.connect()
  try {
    // The first replica waits for this row inside its transaction.
    await holder.query(`begin; select 1 from idempotency_keys limit 1 for update`)
    const first = removeExpired(db.database)
    const waits = async () => (await run('select 1 from pg_locks where not granted')).rowCount
    await expect.poll(waits).toBeGreaterThan(0)
    expect(await removeExpired(replica)).toBe(0)
    expect(await count('idempotency_keys')).toBe(5)
    await holder.query('commit')
    expect(await first).toBe(5)
  } finally {
    await holder.query('rollback')
    holder.release()
    await replica.close()
  }
})

test('of two replicas that begin at once each row is removed and counted once', async () => {
  const replica = openDatabase({ url: db.url, onIdleError: () => undefined, maxConnections: 2 })
  await keys(11_000, '-')
  const removed = await Promise.all([removeExpired(db.database), removeExpired(replica)])
  await replica.close()
  expect(removed[0] + removed[1]).toBe(11_000)
  expect(await count('idempotency_keys')).toBe(0)
})
