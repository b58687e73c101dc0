import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { checkInvariants } from '../support/invariants.ts'
import { lastReleasedVersion, type ReleasedVersion } from '../support/released-version.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { launchService, type ServiceProcess } from '../support/service-process.ts'
import { gate, reply } from '../support/upstream-scripts.ts'
import { pepperText } from '../support/world/accounts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import { ask } from '../support/world/requests.ts'

let released: ReleasedVersion | undefined
let upstream: ScriptedUpstream
let database: Database
let key: string
const databaseName = `t_${randomBytes(8).toString('hex')}`
const started: ServiceProcess[] = []

beforeAll(async () => {
  released = await lastReleasedVersion()
  upstream = await startScriptedUpstream()
  await asAdmin(`create database ${databaseName} owner service`)
  database = openDatabase({ url: databaseUrl(), onIdleError: () => undefined, maxConnections: 4 })
}, 120_000)
afterAll(async () => {
  await Promise.all(started.map((service) => service.stop('SIGKILL')))
  await database.close()
  await asAdmin(`drop database ${databaseName} with (force)`)
  await upstream.close()
  await released?.remove()
})

function databaseUrl(): string {
  const url = new URL(inject('postgres').serviceUrl)
  url.pathname = `/${databaseName}`
  return url.href
}

async function asAdmin(statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('postgres').adminUrl })
  await admin.connect()
  await admin.query(statement)
  await admin.end()
}

function launch(folder: string, server?: string): ServiceProcess {
  const env = {
    DATABASE_URL: databaseUrl(),
    KEY_PEPPER: pepperText,
    MODEL_BASE_URL: upstream.baseUrl,
    MODEL_NAME: 'scripted',
  }
  const service = launchService(folder, env, server)
  started.push(service)
  return service
}

const run = promisify(execFile)

/** What a command of the sources in `folder` prints, as JSON. */
async function command(folder: string, ...words: readonly string[]): Promise<{ readonly key: string }> {
  const env = { DATABASE_URL: databaseUrl(), KEY_PEPPER: pepperText }
  const { stdout } = await run(process.execPath, ['src/cli.ts', ...words, '--json'], { cwd: folder, env })
  return JSON.parse(stdout)
}

let asked = 0
async function post(service: ServiceProcess, options: object = {}): Promise<Response> {
  asked += 1
  return fetch(`${await service.ready}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(ask(`Question ${asked}?`, options)),
  })
}

/** Whole replies and streams one after the other until `until` resolves. @returns their statuses. */
async function turnsUntil(service: ServiceProcess, until: Promise<unknown>): Promise<readonly number[]> {
  const statuses: number[] = []
  let isOver = false
  const over = () => {
    isOver = true
  }
  void until.then(over, over)
  do {
    const response = await post(service, { stream: statuses.length % 2 === 1 })
    statuses.push(response.status)
    expect(await response.text()).toContain('An answer.')
  } while (!isOver)
  return statuses
}

test('the last release serves turns while this version migrates and starts beside it', async ({ skip }) => {
  if (!released) return skip('the commit of the last release is not in this copy of the repository')
  const old = launch(released.folder, released.server)
  await old.ready
  // By its own command line: this version's sources know columns that its schema has not.
  await command(released.folder, 'accounts', 'create', '--email', 'old@example.org', '--plan', 'unlimited')
  key = (await command(released.folder, 'keys', 'create', '--account', 'old@example.org', '--owner-wide')).key
  const held = gate()
  upstream.enqueue([{ text: 'Begun' }, { waitFor: held.opened }])
  const open = await post(old, { stream: true })
  const stream = new LiveStream(open)
  await stream.until('Begun')
  upstream.setDefault(reply('An answer.'))

  const next = launch(released.folder)
  const statuses = [...(await turnsUntil(old, next.ready))]
  statuses.push(...(await turnsUntil(next, Promise.resolve())), ...(await turnsUntil(old, Promise.resolve())))
  expect(new Set(statuses)).toEqual(new Set([200]))

  expect((await old.stop('SIGTERM')).code).toBe(0)
  await stream.rest().catch(() => undefined)
  const runId = open.headers.get('x-service-run-id')
  await expect
    .poll(
      async () => {
        const { rows } = await database.systemPool.query('select status from runs where id = $1', [runId])
        return rows[0]?.status
      },
      { timeout: 25_000 },
    )
    .toBe('completed')
  held.open()
  expect((await next.stop('SIGTERM')).code).toBe(0)
  expect(await checkInvariants(database)).toEqual([])
}, 180_000)
