import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeSefaria, startFakeSefaria } from '../../support/fake-sefaria.ts'
import { lampRecords, lampSections } from '../../support/publisher.ts'
import { callTools, reply } from '../../support/scripted-upstream.ts'
import { call, question } from '../../support/world/requests.ts'
import { openWorld, type World } from '../../support/world/world.ts'

/** An entry of an encyclopedia that cites a text of the publisher. */
const entry = {
  ...{ work: 'Concepts of Chassidut', ref: 'Concepts of Chassidut, Lamp 1', license: 'CC0' },
  ...{
    refs: ['House Lamp 1'],
    en: 'A lamp in the house stands for the soul, which gives light to all around it.',
  },
}

let fake: FakeSefaria
let world: World

/** Wide, so that a busy machine changes no outcome. */
const fallbackLimits = { lookupMs: 30_000, storeMs: 30_000, fetches: 1_000 }

beforeAll(async () => {
  fake = await startFakeSefaria()
  fake.sections = lampSections
  fake.records = lampRecords
  const fallback = { baseUrl: fake.baseUrl, licenses: [] }
  world = await openWorld({ fallback, fallbackLimits, library: [entry] })
})
afterAll(async () => {
  await world.close()
  await fake.close()
})
beforeEach(async () => {
  await world.db.database.systemPool.query(`delete from works where title = 'House Lamp'`)
})

type Block = {
  sources: { ref: string; verification: { result: string }[] }[]
  quotations: object[]
  unknown_refs: object[]
}
type Completion = { choices: { message: { content: string } }[]; x_service: Block }

async function ask(body: object, at = world.service): Promise<Completion> {
  const response = await call(at, world.key, 'POST', '/v1/chat/completions', body)
  expect(response.status).toBe(200)
  return (await response.json()) as Completion
}

/** The model calls one tool and then gives its answer. */
function script(name: string, args: object, answer: string): void {
  world.upstream.enqueue(callTools([{ name, arguments: { ...args } }]), reply(answer))
}

const lampUrl = (place: string): string => `https://www.sefaria.org/House_Lamp.${place}`

/** The result of the tool that the model was given last. */
function toolResult() {
  const messages = world.upstream.requests.at(-1)?.body.messages ?? []
  return JSON.parse(String(messages.findLast(({ role }) => role === 'tool')?.content))
}

test('a fetched text is cited with version and licence, and verified word for word', async () => {
  script('read_source', { ref: 'House Lamp 1:2' }, 'It is written: “And its light grows and grows.” [S2]')
  const { x_service: block } = await ask(question('What does the House Lamp say?'))
  const facts = { version: 'Community Translation', license: 'CC-BY' }
  expect(block.sources).toMatchObject([
    { ref: 'House Lamp 1:2', url: lampUrl('1.2'), verification: [{ result: 'verbatim' }], ...facts },
  ])
})

test.each([
  ['search_sources', { query: 'House Lamp 3:1' }, { ref: 'House Lamp 3:1', in_named_place: true }],
  ['resolve_ref', { ref: 'House Lamp 3' }, { ref: 'House Lamp 3:1' }],
])('%s finds a place of the publisher', async (tool, args, passage) => {
  script(tool, args, 'Found.')
  await ask(question('Find it.'))
  expect(toolResult()['passages'][0]).toMatchObject(passage)
  expect(toolResult()).not.toHaveProperty('does_not_exist')
})

test.each([
  ['read_source', { ref: 'House Lamp 2:1' }],
  ['resolve_ref', { ref: 'House Lamp 2:1' }],
  ['search_sources', { query: 'House Lamp 2:1' }],
])('%s gives address and licence of a text that may not be stored', async (tool, args) => {
  script(tool, args, 'See House Lamp 2:1.')
  const { x_service: block } = await ask(question('Read it.'))
  expect(JSON.stringify(toolResult())).toContain(`CC-BY-NC: ${lampUrl('2.1')}`)
  expect(block.sources).toEqual([])
  const publisher = { url: lampUrl('2.1'), license: 'CC-BY-NC' }
  expect(block.unknown_refs).toMatchObject([{ ref: 'House Lamp 2:1', publisher }])
})

test('a quotation of a text that no tool read is verified after fetching it', async () => {
  world.upstream.enqueue(reply('“The third lamp shines into the street.” (House Lamp 3:1)'))
  const { x_service: block } = await ask(question('Quote it from memory.'))
  expect(block.quotations).toMatchObject([{ result: 'verbatim', ref: 'House Lamp 3:1' }])
  expect(block.unknown_refs).toEqual([])
})

test('a publisher that fails does not fail the turn', async () => {
  fake.fail('House_Lamp.1.1', 500)
  const failing = await world.start({ fallbackLimits: { ...fallbackLimits, pauseMs: 60_000 } })
  script('read_source', { ref: 'House Lamp 1:1' }, 'I could not read it.')
  const { choices } = await ask(question('Read it.'), failing)
  expect(choices[0]?.message.content).toContain('I could not read it.')
  expect(toolResult()).toHaveProperty('error')
})

const at = (ref: string): string => `/v1/sources/${encodeURIComponent(ref)}`

test('GET /v1/sources/{ref} fetches a ref, and names the address of one that may not be stored', async () => {
  const found = await call(world.service, world.key, 'GET', at('House Lamp 1:1'))
  expect(await found.json()).toMatchObject({ passages: [{ ref: 'House Lamp 1:1', language: 'he' }, {}] })
  const linked = await call(world.service, world.key, 'GET', at('House Lamp 2:1'))
  expect(linked.status).toBe(404)
  expect(await linked.text()).toContain('CC-BY-NC: https://www.sefaria.org/House_Lamp.2.1')
})

test('searches of the API, verifications and pages send nothing to the publisher', async () => {
  const before = fake.requests.length
  const body = { text: '“A lamp that burns in the night” (House Lamp 1:1)' }
  await call(world.service, world.key, 'GET', '/v1/sources/search?q=House%20Lamp%201%3A1')
  await call(world.service, world.key, 'POST', '/v1/sources/verify', body)
  await fetch(`${world.service.url}/library/read/${encodeURIComponent('House Lamp 1:1')}`)
  expect(fake.requests).toHaveLength(before)
})

test('without the setting, no request leaves the service', async () => {
  const before = fake.requests.length
  const off = await world.start({ fallback: undefined })
  script('read_source', { ref: 'House Lamp 1:1' }, 'See House Lamp 1:1.')
  await ask(question('Read it.'), off)
  expect((await call(off, world.key, 'GET', at('House Lamp 1:1'))).status).toBe(404)
  expect(fake.requests).toHaveLength(before)
})

test('the built-in model quotes the primary texts of an entry', async () => {
  const builtIn = await world.start({ model: 'built-in' })
  const asked = question('What does the lamp in the house stand for?')
  const { choices, x_service: block } = await ask(asked, builtIn)
  const text = choices[0]?.message.content ?? ''
  expect(text).toContain('Primary texts on this:')
  expect(text).toContain('The first lamp burns in the house.')
  expect(block.sources).toMatchObject([
    { ref: 'Concepts of Chassidut, Lamp 1', verification: [{ result: 'verbatim' }] },
    { ref: 'House Lamp 1:1', verification: [{ result: 'verbatim' }] },
  ])
})
