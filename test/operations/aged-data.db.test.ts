import { beforeEach, expect, test } from 'vitest'
import { commandLine } from '../../src/accounts/audit.ts'
import { endHold, placeHold } from '../../src/accounts/legal-hold.ts'
import { readConfig } from '../../src/config.ts'
import { removeExpired } from '../../src/operations/retention.ts'
import { useDatabase } from '../support/database.ts'
import { makeAccount, makeProject } from '../support/world/accounts.ts'

let accountId: string
let projectId: string

const run = (statement: string, ...values: readonly unknown[]) =>
  db.database.systemPool.query(statement, [...values])
const ids = async (statement: string) => (await run(statement)).rows.map(({ id }) => id)

const db = useDatabase()

/** Age in days of everything of `old`; of `new` all is of today, and `open` has an unfinished turn. */
const age = 100
const old = `now() - interval '${age} days'`

beforeEach(async () => {
  accountId = (await makeAccount(db.database)).id
  projectId = await makeProject(db.database, accountId)
  await run('delete from projects where account_id <> $1', accountId)
  await run(
    `insert into sessions (id, account_id, project_id, model, name, open_runs, updated_at)
     select id, $1, $2, 'service', '', (id = 'open')::int, case when id = 'new' then now() else ${old} end
     from unnest('{old,new,open}'::text[]) id`,
    accountId,
    projectId,
  )
  await run(
    `insert into runs (id, account_id, project_id, session_id, message_id, turn, model, status, request, cost_micros, hold_micros,
       held_allowance_micros, most_micros, deadline_at, finished_at)
     select 'r-' || id, $1, $2, id, 'm', 1, 'service', 'completed', '{}', 5, 5, 0, 5, now(), now() from sessions`,
    accountId,
    projectId,
  )
  await run(
    `insert into messages (id, account_id, session_id, run_id, turn, position, role, content)
     select 'm-' || id, $1, id, 'r-' || id, 1, 0, 'user', '"words"' from sessions`,
    accountId,
  )
  await run(
    `insert into run_log (run_id, seq, step, account_id, epoch, events, steps, cost_micros, entries)
     select 'r-' || id, 1, 1, $1, 1, 0, 1, 5, '[{"type": "step"}]' from sessions`,
    accountId,
  )
  await run(
    `insert into answer_feedback (run_id, account_id, rating, created_at)
     select 'r-' || id, $1, 1, updated_at from sessions`,
    accountId,
  )
  await run(
    `insert into idempotency_keys (account_id, api_key_id, key, request_hash, run_id, expires_at)
     select $1, 'k', id, '', 'r-' || id, now() + interval '1 day' from sessions`,
    accountId,
  )
  await run(
    `insert into ledger (account_id, run_id, kind, allowance_micros, granted_micros)
     select $1, 'r-old', 'charge', 0, -5 where not exists (select from ledger where run_id = 'r-old')`,
    accountId,
  )
  await run(
    `insert into files (id, account_id, project_id, name, purpose, version, bytes, sha256, content_type, updated_at)
     select 'f-' || i, $1, $2, 'a.txt', 'assistants', 1, 1, '', 'text/plain', case when i > 12 then now() else ${old} end
     from generate_series(1, 14) i`,
    accountId,
    projectId,
  )
  await run(
    `insert into file_versions (id, account_id, file_id, version, state, bytes, content_type)
     select 'v-' || id, $1, id, 1, 'sealed', 1, 'text/plain' from files`,
    accountId,
  )
  await run(
    `insert into file_chunks (version_id, index, account_id, data) select id, 0, $1, 'x' from file_versions`,
    accountId,
  )
})

const all = ['new', 'old', 'open']

test('without the setting nothing is removed by its age', async () => {
  await removeExpired(db.database)
  expect(await ids('select id from sessions order by id')).toEqual(all)
  expect(await ids('select id from files')).toHaveLength(14)
})

test('old conversations go with all that they have, but for ledger, files and what has an open turn', async () => {
  expect(await removeExpired(db.database, { conversations: age - 1 })).toBe(1)
  expect(await ids('select id from sessions order by id')).toEqual(['new', 'open'])
  for (const table of ['runs', 'messages', 'run_log', 'answer_feedback', 'idempotency_keys'])
    expect((await run(`select 1 from ${table}`)).rowCount, table).toBe(2)
  expect(await ids(`select run_id as id from ledger where run_id is not null`)).toEqual(['r-old'])
  expect(await ids('select id from files')).toHaveLength(14)
})

test('old files go in batches, with their versions and content', async () => {
  expect(await removeExpired(db.database, { files: age - 1 })).toBe(12)
  expect(await ids('select id from files order by id')).toEqual(['f-13', 'f-14'])
  expect(await ids('select version_id as id from file_chunks order by 1')).toEqual(['v-f-13', 'v-f-14'])
})

test('old feedback goes without its answer, and what is a day younger stays', async () => {
  expect(await removeExpired(db.database, { feedback: age + 1 })).toBe(0)
  expect(await removeExpired(db.database, { feedback: age - 1 })).toBe(2)
  expect(await ids('select run_id as id from answer_feedback')).toEqual(['r-new'])
  expect(await ids('select id from sessions order by id')).toEqual(all)
})

test('a conversation that a turn locks stays for a later round, and no one waits', async () => {
  const turn = await db.database.systemPool.connect()
  try {
    await turn.query(`begin; select 1 from sessions where id = 'old' for no key update`)
    await removeExpired(db.database, { conversations: age - 1 })
    expect(await ids('select id from sessions order by id')).toEqual(all)
    // It took part in a turn after it was found.
    await turn.query(`update sessions set updated_at = now() where id = 'old'`)
    await turn.query('commit')
  } finally {
    turn.release()
  }
  expect(await removeExpired(db.database, { conversations: age - 1 })).toBe(0)
})

test('a legal hold keeps all that has expired, until it ends', async () => {
  const acting = { actor: commandLine, accountId }
  const days = { conversations: 1, files: 1, feedback: 1, deliveries: 1 }
  await run('update idempotency_keys set expires_at = now()')
  await placeHold(db.database, { ...acting, reason: 'A court asked for it.' })
  expect(await removeExpired(db.database, days)).toBe(0)
  await endHold(db.database, acting)
  // Keys, files, the conversation and the feedback of the open one.
  expect(await removeExpired(db.database, days)).toBe(3 + 12 + 1 + 1)
})

test('the setting names kinds and days, and says what is wrong with others', () => {
  const read = (RETENTION_DAYS: string) => readConfig({ RETENTION_DAYS }).retentionDays
  expect(read('conversations=365, files = 90,deliveries=14')).toEqual({
    conversations: 365,
    files: 90,
    deliveries: 14,
  })
  expect(readConfig({}).retentionDays).toBeUndefined()
  expect(() => read('audit=365')).toThrow('entries of the audit log are immutable')
  expect(() => read('chats=365')).toThrow('"chats=365" is not')
  for (const wrong of ['files', 'files=0', 'files=-1', 'files=1,files=2', 'files=1.5', '365'])
    expect(() => read(wrong), wrong).toThrow('RETENTION_DAYS')
})
