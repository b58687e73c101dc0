import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/config.ts'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { runLine } from '../support/command-line.ts'
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts'
import { rows } from '../support/full.ts'
import { checkInvariants } from '../support/invariants.ts'
import { asAdminOf } from '../support/library-database.ts'
import { fillReleased } from '../support/released-data.ts'
import {
  developmentMigrations,
  lastReleasedVersion,
  type ReleasedVersion,
} from '../support/released-version.ts'
import { schemaOf } from '../support/schema-of.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { launchService, type ServiceProcess } from '../support/service-process.ts'
import { error, gate, reply, toolUsingConversation } from '../support/upstream-scripts.ts'
import { pepperText } from '../support/world/accounts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import { ask } from '../support/world/requests.ts'

let released: ReleasedVersion | undefined
let upstream: ScriptedUpstream
const started: ServiceProcess[] = []
const drops: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  released = await lastReleasedVersion()
  upstream = await startScriptedUpstream()
})
afterAll(async () => {
  await Promise.all(started.map((service) => service.stop('SIGKILL')))
  for (const drop of drops) await drop()
  await upstream.close()
  await released?.remove()
})

/** @returns the URL of a new, empty database for the role of the service. */
async function newDatabase(): Promise<string> {
  const { url, drop } = await createEmptyDatabase()
  drops.push(drop)
  return url
}

/** Runs `work` on one connection that sees the rows of all accounts. */
async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`set app.account = '*'`)
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Migrates an empty database with the first migrations of an earlier version. */
async function migrateReleased(
  url: string,
  { folder }: Pick<ReleasedVersion, 'folder'>,
  count?: number,
): Promise<void> {
  const migrations = path.join(folder, `migrations-${randomBytes(4).toString('hex')}`)
  await cp(path.join(folder, 'migrations'), migrations, { recursive: true })
  const file = path.join(migrations, 'meta/_journal.json')
  const journal = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }))
  await connected(url, (client) =>
    migrate(drizzle({ client }), { migrationsFolder: migrations, migrationsSchema: 'public' }),
  )
  await rm(migrations, { recursive: true })
}

/** What each account can spend, by kind, and what its open runs hold. */
const creditsBefore = `
  select account_id as account, (coalesce(sum(available_micros) filter (where expires_at > now()), 0))::text as allowance,
    (coalesce(sum(available_micros) filter (where expires_at is null), 0))::text as granted, sum(held_micros)::text as held
  from credit_pools group by 1 order by 1`
const creditsAfter = `
  select id as account, allowance_micros::text as allowance, granted_micros::text as granted, held_micros::text as held
  from accounts order by 1`

const run = promisify(execFile)

describe('a database of the last release', () => {
  let url: string
  let database: Database
  let key: string

  const settings = () => ({
    DATABASE_URL: url,
    KEY_PEPPER: pepperText,
    MODEL_BASE_URL: upstream.baseUrl,
    MODEL_NAME: 'scripted',
  })

  beforeAll(async () => {
    url = await newDatabase()
    database = openDatabase({ url, onIdleError: () => undefined, maxConnections: 4 })
  })
  afterAll(() => database.close())

  function launch(folder: string, server?: string, more: object = {}): ServiceProcess {
    const service = launchService(folder, { ...settings(), ...more }, server)
    started.push(service)
    return service
  }

  /** A command of the released version. */
  async function command({ command: entry, folder: cwd }: ReleasedVersion, ...words: readonly string[]) {
    const { stdout } = await run(process.execPath, [entry, ...words, '--json'], { cwd, env: settings() })
    return JSON.parse(stdout)
  }

  async function request(service: ServiceProcess, target: string, body?: object): Promise<Response> {
    return fetch((await service.ready) + target, {
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  }

  const openCount = async () =>
    (await database.systemPool.query(`select from runs where status in ('queued', 'in_progress')`)).rowCount

  test('is upgraded with its credits, open runs, sessions and answers', async ({ skip }) => {
    if (!released) return skip('the commit of the last release is not in this copy of the repository')
    const old = launch(released.folder, released.server)
    await old.ready
    await command(released, 'accounts', 'create', '--email', 'old@example.org', '--plan', 'unlimited')
    key = (await command(released, 'keys', 'create', '--account', 'old@example.org', '--owner-wide')).key
    // With a search, a source and a quotation.
    upstream.enqueue(toolUsingConversation, toolUsingConversation, error(400, 'refused'))
    const chat = (text: string, more?: object) => request(old, '/v1/chat/completions', ask(text, more))
    const answered = await chat('What is joy?')
    const failed = await chat('A question that fails?')
    const held = gate()
    upstream.enqueue([{ text: 'Begun' }, { waitFor: held.opened }])
    const open = await chat('A long question?', { stream: true })
    await new LiveStream(open).until('Begun')
    const runOf = (reply: Response) => reply.headers.get('x-service-run-id') ?? ''
    const sessionId = answered.headers.get('x-service-session-id') ?? ''
    const pages = [
      `/v1/agent/runs/${runOf(answered)}`,
      `/v1/agent/runs/${runOf(failed)}`,
      `/v1/agent/sessions/${sessionId}`,
      `/v1/agent/sessions/${sessionId}/messages`,
    ]
    const eventsOf = async (service: ServiceProcess) => {
      const text = await (await request(service, `/v1/agent/runs/${runOf(answered)}/events`)).text()
      return [...text.matchAll(/^id: (\d+)\nevent: (.*)\ndata: (.*)$/gm)].map(
        ([, id, type, data = '']) => [id, type, JSON.parse(data)] as const,
      )
    }
    const read = (service: ServiceProcess) =>
      Promise.all(pages.map(async (page) => (await request(service, page)).json()))
    const before = await read(old)
    const events = await eventsOf(old)
    expect(before[0]).toMatchObject({ output: [{}, { type: 'source' }] })

    await expect(migrateDatabase(url, url, { backedUp: true })).rejects.toThrow(/1 replica is connected/)
    await old.stop('SIGKILL')
    held.open()
    await asAdminOf(url, (client) => fillReleased(client, { runs: 400, accounts: 8 }))
    const credits = (await database.systemPool.query(creditsBefore)).rows
    const isFree = () =>
      database.systemPool
        .query(
          `select from pg_stat_activity where datname = current_database() and application_name like '%listener'`,
        )
        .then(({ rowCount }) => rowCount)
    await expect.poll(isFree).toBe(0)
    // A start opens the installation as the command does.
    const wanted = /pg_dump.*--backed-up.*UPGRADE_BACKED_UP=yes/
    await expect(runLine({ url }, ['migrate'])).rejects.toThrow(wanted)

    await runLine({ url }, ['migrate', '--backed-up'])
    expect((await database.systemPool.query(creditsAfter)).rows).toEqual(credits)
    expect(await checkInvariants(database)).toEqual([])
    const { rows: wrong } = await database.systemPool.query(
      `select r.id, r.status, r.reply, m.content from runs r left join messages m on m.id = r.message_id
       where (r.finished_at is null) <> (r.reply is null) or r.reply ->> 'type' <> 'run.' || r.status
         or r.reply is not null and (r.reply #>> '{end,text}') || (r.reply #>> '{end,source_list}') is null
         or r.reply #>> '{end,text}' <> m.content ->> 'content' or r.reply #>> '{end,usage,cost_micros}' <> r.cost_micros::text`,
    )
    expect(wrong).toEqual([])
    const fresh = await createTestDatabase()
    expect(await connected(url, schemaOf)).toEqual(await connected(fresh.url, schemaOf))
    await fresh.drop()

    upstream.setDefault(reply('An answer.'))
    // The lease of the process that was killed would run out 15 s after it.
    await database.systemPool.query('update runs set lease_expires_at = now() where lease_expires_at > now()')
    const next = launch(released.folder)
    await next.ready
    await expect.poll(openCount).toBe(0)
    const { rows: openRun } = await database.systemPool.query(
      `select r.status, count(l.id)::int as charges, sum(-l.allowance_micros - l.granted_micros)::text = r.cost_micros::text as "isWhole"
       from runs r left join ledger l on l.run_id = r.id where r.id = $1 group by r.id`,
      [runOf(open)],
    )
    expect(openRun).toEqual([{ status: 'completed', charges: 1, isWhole: true }])
    expect(await read(next)).toMatchObject(before)
    // This version adds members: the kind of a source.
    expect(await eventsOf(next)).toMatchObject(events)
    expect(events.length).toBeGreaterThan(5)

    const asked = upstream.requests.length
    const continued = await request(
      next,
      '/v1/chat/completions',
      ask('And then?', { x_service: { session_id: sessionId } }),
    )
    expect(continued.status).toBe(200)
    expect(JSON.stringify((await upstream.request(asked)).body.messages)).toMatch(
      /What is joy\?.*The library says: .*And then\?/,
    )
    expect((await next.stop('SIGTERM')).code).toBe(0)
    expect(await checkInvariants(database)).toEqual([])
  })
})

test('an upgrade that would change the credits of an account is undone', async ({ skip }) => {
  if (!released) return skip('the commit of the last release is not in this copy of the repository')
  const url = await newDatabase()
  await migrateReleased(url, released)
  await asAdminOf(url, (client) => fillReleased(client, { runs: 10, accounts: 2 }))
  const [[account], tables] = await connected(url, async (client) => [
    (
      await client.query<{ id: string }>(
        `update credit_pools set available_micros = available_micros + 1 where id = (select min(id) from credit_pools where expires_at is null)
         returning account_id as id`,
      )
    ).rows,
    await schemaOf(client),
  ])
  const upgrade = migrateDatabase(url, url, { backedUp: true })
  await expect(upgrade).rejects.toThrow(ConfigError)
  await expect(upgrade).rejects.toThrow(`the credits of 1 accounts would change, the first is ${account?.id}`)
  expect(await connected(url, schemaOf)).toEqual(tables)
})

test('a database older than the last release is refused with the way to upgrade it', async ({ skip }) => {
  if (!released) return skip('the commit of the last release is not in this copy of the repository')
  const url = await newDatabase()
  await migrateReleased(url, released, 8)
  await expect(migrateDatabase(url, url, { backedUp: true })).rejects.toThrow(
    'The schema is older than version 0.2.0. Start version 0.2.0 once',
  )
})

test('a database that followed the source after the last release gets the same schema', async ({ skip }) => {
  const folder = await developmentMigrations()
  if (folder === undefined)
    return skip('the commits after the last release are not in this copy of the repository')
  const fresh = await createTestDatabase()
  const schema = await connected(fresh.url, schemaOf)
  await fresh.drop()
  // The numbers of migrations: of the release, within the changes of the library, of links and keys, and all.
  for (const count of rows([12, 28], [17, 24, 34, 35])) {
    const url = await newDatabase()
    await migrateReleased(url, { folder }, count)
    await migrateDatabase(url, url, { backedUp: true })
    expect(await connected(url, schemaOf)).toEqual(schema)
  }
  await rm(folder, { recursive: true })
})
