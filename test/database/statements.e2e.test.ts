import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { type EmbeddedServer, openEmbedded } from '../../src/db/embedded/server.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { useFolder } from '../support/folder.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { countStatements, type StatementCount } from '../support/statement-count.ts'
import { callTools, reply, type ScriptSource } from '../support/upstream-scripts.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { call, question } from '../support/world/requests.ts'
import { startService, type TestService } from '../support/world/service.ts'

const directory = useFolder()
let server: EmbeddedServer
let admin: pg.Client
let database: Database
let upstream: ScriptedUpstream
let service: TestService
let key: string

beforeAll(async () => {
  server = await openEmbedded(directory, ['fsync=off', 'shared_preload_libraries=pg_stat_statements'])
  await migrateDatabase(server.url, server.url)
  const adminUrl = new URL(server.adminUrl)
  adminUrl.pathname = '/service'
  admin = new pg.Client({ connectionString: adminUrl.href })
  await admin.connect()
  await admin.query('create extension pg_stat_statements')
  database = openDatabase({ url: server.url, onIdleError: () => undefined })
  upstream = await startScriptedUpstream()
  const model = { baseUrl: upstream.baseUrl, apiKey: undefined, name: 'scripted' }
  service = await startService(database, { model })
  key = await makeKey(database, (await makeAccount(database)).id)
})
afterAll(async () => {
  await service.stop()
  await upstream.close()
  await database.close()
  await admin.end()
  await server.release()
})

const turns = 10

/**
 * Of the cheapest of some turns, once the key has its project and the month its allowance. What the clock adds is not in it:
 * keys are looked up once a second, and text that is 100 ms old is written, which on a busy machine is any.
 */
async function around(script: ScriptSource): Promise<Pick<StatementCount, 'statements' | 'commits'>> {
  upstream.setDefault(script)
  const counting = countStatements(admin)
  const counts: StatementCount[] = []
  for (let n = 0; n <= turns; n += 1) {
    await counting.reset()
    const body = { ...question(`Question ${n}`), stream: true }
    const response = await call(service, key, 'POST', '/v1/chat/completions', body)
    expect(await response.text()).toMatch(/"finish_reason":"stop".*\[DONE\]/s)
    counts.push(await counting.read())
  }
  const least = (of: 'statements' | 'commits') => Math.min(...counts.map((count) => count[of]))
  return { statements: least('statements'), commits: least('commits') }
}

test('a turn of one model call takes two statements, each its own transaction', async () => {
  const { statements, commits } = await around(() => reply('The answer of the model.', { chunks: 4 }))
  expect(statements).toBe(2)
  expect(commits).toBeLessThanOrEqual(2)
})

test('the number of chunks does not change the number of statements', async () => {
  const { statements } = await around(() => reply('word '.repeat(400), { chunks: 400 }))
  // Text of 2 KB is written before the end of the turn, so that a reader elsewhere sees it.
  expect(statements).toBeLessThanOrEqual(4)
})

test("a tool call adds one statement for its steps and hold, and the tool's own", async () => {
  const { statements } = await around((body) =>
    body.messages.some(({ role }) => role === 'tool')
      ? reply('The answer of the model.')
      : callTools([{ name: 'list_files', arguments: {} }]),
  )
  expect(statements).toBeLessThanOrEqual(4)
})
