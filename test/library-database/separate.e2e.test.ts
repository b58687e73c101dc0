import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/accounts.ts'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { withTx } from '../../src/db/client.ts'
import { keepLibrary } from '../../src/operations/library-upkeep.ts'
import { exportPlace } from '../../src/sources/collections/export-place.ts'
import { collectionExport } from '../support/collection-export.ts'
import { type FakeSefaria, startFakeSefaria } from '../support/fake-sefaria.ts'
import {
  createSeparateLibrary,
  dropLibraryTables,
  type SeparateLibrary,
} from '../support/library-database.ts'
import { importLines } from '../support/library-lines.ts'
import { samplesOf, scrape } from '../support/metrics.ts'
import { lampRecords, lampSections } from '../support/publisher.ts'
import { callTools, reply } from '../support/scripted-upstream.ts'
import { goodPassword, openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { call, question } from '../support/world/requests.ts'
import { openWorld, type World } from '../support/world/world.ts'

const gate = {
  ...{ work: 'The Gate', ref: 'The Gate 1:1', he_ref: 'השער א׳:א׳', license: 'CC0' },
  source_url: 'https://example.org/gate/1',
  en: 'A small lamp that is carried into a dark room does not argue with the darkness; it only shines.',
}

const token = 'a token for scrapes'

let separate: SeparateLibrary
let fake: FakeSefaria
let world: World

beforeAll(async () => {
  separate = await createSeparateLibrary()
  fake = await startFakeSefaria()
  fake.files = collectionExport
  fake.sections = lampSections
  fake.records = lampRecords
  world = await openWorld({
    libraryDatabase: separate.library,
    fallback: { baseUrl: fake.baseUrl, licenses: [] },
    fallbackLimits: { lookupMs: 30_000, storeMs: 30_000, fetches: 1_000 },
    web: { signUp: 'open', signUpPlan: 'free', libraryExport: exportPlace(fake.baseUrl) },
    telemetry: { metricsToken: token },
  })
  await dropLibraryTables(world.db)
  await importLines(separate.library, [gate])
})
afterAll(async () => {
  await world?.close()
  await fake?.close()
  await separate?.drop()
})

type Block = { files: object[]; sources: object[]; unknown_refs: object[] }

async function ask(text: string): Promise<Block> {
  const response = await world.chat(question(text))
  expect(response.status).toBe(200)
  return ((await response.json()) as { x_service: Block }).x_service
}

const get = (path: string) => call(world.service, world.key, 'GET', path)
const tool = (name: string, args: object) => callTools([{ name, arguments: { ...args } }])

test('a turn searches, cites and verifies from the library database', async () => {
  world.upstream.enqueue(
    tool('search_sources', { query: 'lamp in a dark room' }),
    tool('read_source', { ref: 'The Gate 1:1' }),
    reply('It is written: “it only shines” [S1]. So too in The Gate 9:9.'),
  )
  const block = await ask('What does the lamp do?')
  expect(block.sources).toMatchObject([{ ref: 'The Gate 1:1', verification: [{ result: 'verbatim' }] }])
  expect(block.unknown_refs).toMatchObject([{ ref: 'The Gate 9:9' }])
})

test('a source sheet takes its passages from the library database', async () => {
  world.upstream.enqueue(
    tool('make_source_sheet', { name: 'lamp', title: 'Lamp', items: [{ ref: gate.ref }], formats: ['md'] }),
    reply('Done.'),
  )
  const { files } = await ask('Make a sheet.')
  expect(files).toMatchObject([{ filename: 'lamp.md' }])
})

test('every route and page of the library reads the library database', async () => {
  const ref = encodeURIComponent('The Gate 1:1')
  const { data } = (await (await get('/v1/sources/works')).json()) as { data: object[] }
  expect(data).toMatchObject([{ title: 'The Gate' }])
  expect(await (await get('/v1/sources/search?q=lamp')).text()).toContain('The Gate 1:1')
  expect(await (await get(`/v1/sources/${ref}`)).text()).toContain('does not argue')
  const checked = await call(world.service, world.key, 'POST', '/v1/sources/verify', {
    text: '“A small lamp that is carried into a dark room does not argue” (The Gate 1:1)',
  })
  expect(await checked.text()).toContain('"verbatim"')
  const reader = await signedUp(world.service, 'reader@example.org')
  for (const path of ['/library', '/library/search?q=lamp', `/library/read/${ref}`]) {
    const page = await reader.get(path)
    expect([path, page.status]).toEqual([path, 200])
    expect(await page.text()).toContain('The Gate')
  }
})

test('texts on demand are stored in the library database', async () => {
  world.upstream.enqueue(
    tool('read_source', { ref: 'House Lamp 1:2' }),
    reply('It is written: “And its light grows and grows.” [S2]'),
  )
  const { sources } = await ask('What does the House Lamp say?')
  expect(sources).toMatchObject([{ ref: 'House Lamp 1:2', verification: [{ result: 'verbatim' }] }])
  const { rows } = await separate.library.systemPool.query(`select 1 from works where title = 'House Lamp'`)
  expect(rows).toHaveLength(1)
})

async function operator(): Promise<TestVisitor> {
  const email = 'operator@example.org'
  await withTx(world.db.database, 'system', (tx) =>
    createAccount(tx, builtInPlans, { email, plan: 'pro', password: goodPassword, operator: true }),
  )
  const visitor = openVisitor(world.service)
  expect((await visitor.post('/signin', { email, password: goodPassword })).status).toBe(303)
  return visitor
}

test("an operator's import is a job of the library database and an entry of the main one", async () => {
  const visitor = await operator()
  const upkeep = await keepLibrary(separate.library, {
    exportPlace: exportPlace(fake.baseUrl),
    registry: world.service.registry,
    log: pino({ level: 'silent' }),
  })
  try {
    expect(upkeep.state()).toBe('ok')
    const started = await visitor.post('/operator/library/collections/breslov/start', {})
    expect(started.status).toBe(303)
    const page = async () => (await visitor.get('/operator/library')).text()
    await expect.poll(page).toContain('5 versions of 5 works')
    expect(await (await visitor.get('/operator/audit')).text()).toContain('breslov')
    expect(await (await visitor.get('/operator/health')).text()).toContain('Library database')
    const samples = samplesOf(await scrape(world.service, token))
    expect(samples).toContainEqual({ name: 'service_library_up', labels: {}, value: 1 })
    const pools = samples.filter(({ name }) => name === 'service_pg_pool_max_connections')
    expect(pools.map(({ labels }) => labels['pool'])).toContain('library')
  } finally {
    await upkeep.stop()
  }
  await visitor.post('/operator/library/collections/breslov/start', {})
  await visitor.post('/operator/library/collections/breslov/cancel', {})
  expect(await (await visitor.get('/operator/audit')).text()).toContain('Import into the library cancelled')
})

test('an import that is refused leaves no entry in the audit log', async () => {
  const entries = async () =>
    Number((await world.row<{ n: string }>('select count(*) as n from audit_log')).n)
  const visitor = openVisitor(world.service)
  await visitor.post('/signin', { email: 'operator@example.org', password: goodPassword })
  await visitor.post('/operator/library/collections/tanya/start', {})
  const before = await entries()
  const again = await visitor.post('/operator/library/collections/tanya/start', {})
  expect(again.status).toBe(400)
  expect(await entries()).toBe(before)
})
