import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { exportAccount } from '../../src/account-export/account-archive.ts'
import { commandLine } from '../../src/accounts/audit.ts'
import { invite } from '../../src/accounts/members/invitations.ts'
import { createMailedLink } from '../../src/accounts/sign-in/mailed-links.ts'
import { createResetLink } from '../../src/accounts/sign-in/password-reset.ts'
import { openWebSession } from '../../src/accounts/sign-in/web-sessions.ts'
import { examineUnlessFresh } from '../../src/billing/checks/examine.ts'
import { openDatabase, withTx } from '../../src/db/client.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import {
  budgets,
  identities,
  members,
  passkeys,
  readingMarks,
  recoveryCodes,
  sentNotices,
  signInSteps,
  totpSecrets,
  unusedObjects,
} from '../../src/db/schema/index.ts'
import { recordBranch } from '../../src/turns/sessions/branches.ts'
import { giveFeedback } from '../../src/turns/sessions/feedback.ts'
import type { Session } from '../../src/turns/sessions/sessions.ts'
import { shareSession } from '../../src/turns/sessions/shared-sessions.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { launchService } from '../support/service-process.ts'
import { openWithRole } from '../support/service-role.ts'
import { callTools, reply } from '../support/upstream-scripts.ts'
import { openVisitor, signedUp } from '../support/visitor.ts'
import { makeAccount, makeKey, pepperText, testPeppers } from '../support/world/accounts.ts'
import { bodyOf, call, question } from '../support/world/requests.ts'
import { giveInstructions, makeFile, makeSheet, useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'
import { zipEntries } from '../support/zip-entries.ts'

const world = useWorld(unhurried)
const mine = useThings(world)
const foreign = useThings(world)
beforeAll(async () => {
  const { service } = world
  const headers = { 'idempotency-key': 'k' }
  for (const things of [mine, foreign]) {
    const { key } = things
    const fileId = await makeFile(service, things, 'page.html')
    await call(service, key, 'POST', '/v1/chat/completions', question('Kept?'), headers)
    await call(service, key, 'POST', '/v1/chat/completions', {
      model: 'service',
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: fileId } }] }],
      x_service: { project_id: things.projectId },
    })
  }
  for (const { accountId, sessionId, runId } of [mine, foreign])
    await withTx(world.db.database, { accountId }, async (tx) => {
      const session = { id: sessionId, accountId, turnCount: 1, name: 'Lamps' } as Session
      await shareSession(tx, testPeppers, session)
      await giveFeedback(tx, { id: runId, accountId }, { rating: 'up', note: '' })
      await recordBranch(tx, { sessionId, accountId, parentId: 'sess_gone', parentTurn: 1 })
    })
  for (const things of [mine, foreign]) {
    await makeSheet(world.db, things)
    await giveInstructions(world.service, things)
    const { accountId } = things
    await world.db.database.system
      .insert(unusedObjects)
      .values({ accountId, location: `s3://b/${accountId}` })
    await withTx(world.db.database, things, (tx) =>
      tx.insert(readingMarks).values({ accountId, kind: 'bookmark', ref: 'The Gate 1:1' }),
    )
  }
  await signedUp(service, 'rls@example.org')
  await openWebSession(world.db.database.system, { accountId: mine.accountId, agent: '' })
  for (const { accountId } of [mine, foreign])
    await createResetLink(world.db.database.system, { actor: commandLine, accountId })
  const address = { kind: 'address', email: 'rls-2@example.org', accountId: mine.accountId } as const
  await createMailedLink(world.db.database.system, address)
  await world.db.database.system
    .insert(sentNotices)
    .values({ accountId: mine.accountId, kind: 'low_credits', about: '2026-11-01' })
  for (const { accountId } of [mine, foreign]) {
    const key = await makeKey(world.db.database, accountId, {
      scopes: ['account:manage'],
      reach: { kind: 'owner' },
    })
    const hook = { url: 'https://hooks.example.org/', events: ['run.completed'] }
    const made = await bodyOf(
      call(service, key, 'POST', '/v1/webhook_endpoints', hook, { 'idempotency-key': 'hook' }),
    )
    await call(service, key, 'POST', `/v1/webhook_endpoints/${made.id}/test`)
    await world.db.database.system.insert(budgets).values({ accountId, period: 'day', micros: 1n })
    const { system } = world.db.database
    const bytes = Buffer.from(accountId)
    await system.insert(identities).values({ issuer: 'https://id.example', subject: accountId, accountId })
    await system.insert(totpSecrets).values({ accountId, sealed: bytes })
    await system.insert(recoveryCodes).values({ accountId, digest: bytes })
    await system.insert(signInSteps).values({ digest: bytes, accountId, expiresAt: new Date() })
    const passkey = { id: accountId, accountId, name: 'Key', publicKey: bytes, counter: 0, transports: [] }
    await system.insert(passkeys).values(passkey)
    const { id: memberId } = await makeAccount(world.db.database)
    await system.insert(members).values({ accountId, memberId, role: 'viewer' })
    const by = { accountId, role: 'owner' } as const
    await invite(system, by, { email: undefined, role: 'member' })
  }
  await examineUnlessFresh(world.db.database, 0, () => undefined)
  await world.rows(`insert into model_checks values ('service', now(), '{}')`)
})

/** The library belongs to everybody; the migrations and the replicas say nothing about anybody. */
const shared = [
  ...[
    '__drizzle_migrations',
    'embedding_models',
    'headings',
    'key_peppers',
    'library_jobs',
    'library_state',
    'links',
    'passage_texts',
    'passage_vectors',
    'passages',
    'replicas',
  ],
  ...['search_postings', 'search_spelling_buckets', 'search_spellings', 'versions', 'works'],
]

type Table = {
  readonly name: string
  readonly enabled: boolean
  readonly forced: boolean
  readonly policies: number
  readonly owned: boolean
}

async function tables(): Promise<readonly Table[]> {
  const rows =
    await world.rows<Table>(`select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
            (select count(*)::int from pg_policy p where p.polrelid = c.oid) as policies,
            exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id') as owned
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and c.relkind in ('r', 'p', 'm', 'v', 'f')
      order by 1`)
  return rows
}

test('every table outside the library has a row policy that binds its owner too', async () => {
  const all = await tables()
  const open = all.filter(({ enabled, forced, policies }) => !enabled || !forced || policies === 0)
  expect(open.map(({ name }) => name).toSorted()).toEqual(shared.toSorted())
  expect(all.filter(({ owned, name }) => owned && shared.includes(name))).toEqual([])
})

test('no table of the library leads to an account', async () => {
  const rows = await world.rows<{ name: string }>(
    `with recursive owned(oid) as (
       select 'accounts'::regclass::oid
       union select c.conrelid from pg_constraint c join owned on c.confrelid = owned.oid where c.contype = 'f')
     select relname as name from pg_class join owned using (oid) where relname = any($1)`,
    shared,
  )
  expect(rows).toEqual([])
})

const guarded = async () => (await tables()).filter(({ enabled }) => enabled).map(({ name }) => name)
const countsBy = async (pool: pg.Pool | pg.PoolClient, names: readonly string[]) => {
  const counts: Record<string, number> = {}
  for (const name of names) {
    const { rows } = await pool.query<{ n: number }>(`select count(*)::int as n from "${name}"`)
    counts[name] = rows[0]?.n ?? -1
  }
  return counts
}

test('a query without an account sees no row of any guarded table', async () => {
  const names = await guarded()
  const { database } = world.db
  const all = await countsBy(database.systemPool, names)
  expect(Object.entries(all).filter(([, count]) => count < 1)).toEqual([])
  expect(await countsBy(database.tenantPool, names)).toEqual(
    Object.fromEntries(names.map((name) => [name, 0])),
  )
})

test('a transaction reads, changes and deletes no row of another account in any table', async () => {
  const names = (await tables()).filter(({ enabled, owned }) => enabled && owned).map(({ name }) => name)
  for (const name of names) {
    const client = await world.db.database.tenantPool.connect()
    try {
      await client.query(`begin; set local app.account = '${mine.accountId}'`)
      const seen = await client.query<{ account: string }>(
        `select distinct account_id as account from "${name}"`,
      )
      expect({ name, seen: seen.rows.filter(({ account }) => account !== mine.accountId) }).toEqual({
        name,
        seen: [],
      })
      const changed = await client.query(
        `update "${name}" set account_id = account_id where account_id = '${foreign.accountId}'`,
      )
      const removed = await client.query(`delete from "${name}" where account_id = '${foreign.accountId}'`)
      expect({ name, changed: changed.rowCount, removed: removed.rowCount }).toEqual({
        name,
        changed: 0,
        removed: 0,
      })
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
})

test('the export of an account has its rows of every table but for secrets, and its files', async () => {
  const { database } = world.db
  const { accountId } = mine
  const entries = await zipEntries(
    await buffer(await exportAccount({ database }, { actor: accountId, accountId })),
  )
  const secret = await database.systemPool.query<{ name: string; column: string }>(
    `select table_name as name, column_name as column from information_schema.columns
      where data_type = 'bytea' or column_name = 'password_hash'`,
  )
  const bare = (name: string, row: object) => {
    const left = new Set(secret.rows.filter((one) => one.name === name).map(({ column }) => column))
    return JSON.stringify(
      Object.entries(row)
        .filter(([column]) => !left.has(column))
        .toSorted(),
    )
  }
  const owned = (await tables()).filter(
    (table) => table.owned && !['file_chunks', 'unused_objects'].includes(table.name),
  )
  const names = ['accounts', ...owned.map(({ name }) => name)]
  for (const name of names) {
    const { rows } = await database.systemPool.query<{ row: object }>(
      `select to_jsonb(t) as row from "${name}" t where ${name === 'accounts' ? 'id' : 'account_id'} = $1`,
      [accountId],
    )
    const exported = JSON.parse(String(entries.get(`${name}.json`) ?? '"missing"')) as readonly object[]
    expect(rows.length, name).toBeGreaterThan(0)
    expect(exported.map((row) => JSON.stringify(Object.entries(row).toSorted())).toSorted(), name).toEqual(
      rows.map(({ row }) => bare(name, row)).toSorted(),
    )
  }
  const versions = await database.systemPool.query<{ name: string; content: Buffer }>(
    `select 'files/' || f.id || '/' || v.version || '/' || f.name as name, c.data as content
      from files f join file_versions v on v.file_id = f.id join file_chunks c on c.version_id = v.id
      where f.account_id = $1`,
    [accountId],
  )
  for (const { name, content } of versions.rows) expect(entries.get(name), name).toEqual(content)
  expect(entries.size).toBe(names.length + versions.rows.length)
})

test('a transaction of an account sees nothing of what the checks of all accounts keep', async () => {
  const client = await world.db.database.tenantPool.connect()
  try {
    await client.query(`begin; set local app.account = '${mine.accountId}'`)
    const counts = await countsBy(client, ['invariant_checks'])
    expect(counts).toEqual({ invariant_checks: 0 })
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('an account context does not outlive its transaction on a pooled connection', async () => {
  const pool = openDatabase({ url: world.db.url, onIdleError: () => undefined, maxConnections: 1 })
  try {
    await withTx(pool, { accountId: mine.accountId }, (tx) => tx.execute('select 1'))
    await withTx(pool, { accountId: mine.accountId }, () => Promise.reject(new Error('rolled back'))).catch(
      () => undefined,
    )
    const { rows } = await pool.tenantPool.query('select id from projects')
    expect(rows).toEqual([])
  } finally {
    await pool.close()
  }
})

test('the service works as a role that owns nothing, and the row policies bind it', async () => {
  const database = await openWithRole()
  const upstream: ScriptedUpstream = await startScriptedUpstream()
  const folder = await mkdtemp(path.join(tmpdir(), 'chat-service-role-'))
  upstream.enqueue(
    callTools([{ name: 'write_file', arguments: { name: 'a.txt', content: 'Kept.' } }]),
    reply('Written.'),
  )
  const service = launchService(folder, {
    DATABASE_URL: database.roleUrl,
    MIGRATE_DATABASE_URL: database.ownerUrl,
    KEY_PEPPER: pepperText,
    MODEL_BASE_URL: upstream.baseUrl,
    MODEL_NAME: 'scripted',
    SIGNUP: 'open',
  })
  const rows = openDatabase({ url: database.roleUrl, onIdleError: () => undefined })
  try {
    const url = await service.ready
    const visitor = openVisitor({ url } as Parameters<typeof openVisitor>[0])
    await visitor.post('/signup', { email: 'role@example.org', password: 'four unrelated words here' })
    await rows.systemPool.query(`update accounts set plan = 'pro' where email = 'role@example.org'`)
    const { rows: accounts } = await rows.systemPool.query<{ id: string }>(
      `select id from accounts where email = 'role@example.org'`,
    )
    const key = await makeKey(rows, accounts[0]?.id ?? '')
    const turn = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(question('Write it down.')),
    })
    expect([turn.status, await turn.json()]).toMatchObject([
      200,
      { choices: [{ message: { content: 'Written.' } }], x_service: { files: [{ filename: 'a.txt' }] } },
    ])
    const { rows: owned } = await rows.systemPool.query(
      'select 1 from pg_class where relowner = current_user::regrole',
    )
    expect(owned).toEqual([])
    expect((await rows.tenantPool.query('select 1 from runs union all select 1 from files')).rows).toEqual([])
    for (const refused of [
      'create table t (x int)',
      'alter table runs disable row level security',
      'drop policy tenant on runs',
      'truncate runs',
      'delete from ledger',
      'update audit_log set actor = actor',
      'delete from audit_log',
    ])
      await expect(rows.systemPool.query(refused), refused).rejects.toThrow(/permission denied|must be owner/)
    await migrateDatabase(database.ownerUrl, database.roleUrl)
    expect(await service.stop('SIGTERM')).toMatchObject({ code: 0 })
  } finally {
    service.signal('SIGKILL')
    await rows.close()
    await upstream.close()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
})
