import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCatalogue } from '../../src/models/model-catalogue.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { callTools, error, reply, stall } from '../support/upstream-scripts.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { openWorld, type World } from '../support/world/world.ts'

type Upstreams = readonly {
  readonly step: number
  readonly name: string
  readonly passed: readonly object[]
}[]
type Answer = Completion & { readonly x_service: { readonly usage: { readonly upstreams?: Upstreams } } }

let world: World
let second: ScriptedUpstream
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chat-service-fallbacks-'))
  world = await openWorld()
  second = await startScriptedUpstream()
})
afterAll(async () => {
  await world.close()
  await second.close()
  await rm(folder, { recursive: true })
})

let files = 0

/** A catalogue with `service` at the first server, and the second one as its fallback. */
async function catalogueFile(fallback: object = {}, more: object = {}): Promise<string> {
  files += 1
  const file = path.join(folder, `models-${files}.json`)
  const price = { input: 1, output: 1, tool_call: 0 }
  const entry = {
    ...{ id: 'service', base_url: world.upstream.baseUrl, name: 'large', price, ...more },
    fallbacks: [{ base_url: second.baseUrl, name: 'small', ...fallback }],
  }
  await writeFile(file, JSON.stringify({ models: [entry] }))
  return file
}

/** A new replica, so that no pause of another test is left. */
const replica = async (fallback?: object, more?: object): Promise<TestService> =>
  world.start({ model: { catalogueFile: await catalogueFile(fallback, more) } })

const post = async (at: TestService, body: object) =>
  (await (await world.chat(body, { at })).json()) as Answer

test('the run tells which server answered each step, and why the first did not', async () => {
  const at = await replica()
  world.upstream.enqueue(error(429, 'busy'))
  second.enqueue(callTools([{ name: 'list_files', arguments: {} }]), reply('From the small one.'))
  const answer = await post(at, ask('Who answers?'))
  expect(answer.choices[0]?.message.content).toBe('From the small one.')
  const upstreams = [
    { step: 1, name: 'small', passed: [{ name: 'large', reason: 'rate_limit' }] },
    { step: 3, name: 'small', passed: [{ name: 'large', reason: 'paused' }] },
  ]
  expect(answer.x_service.usage.upstreams).toEqual(upstreams)
  const run = await world.get<{ usage: object }>(`/v1/agent/runs/${answer.x_service.run_id}`)
  expect(run.usage).toMatchObject({ upstreams })
  expect(second.requests.at(-1)?.body.model).toBe('small')
})

test('a turn is charged at the price of the model that was asked for, whoever answers', async () => {
  const at = await replica()
  const usage = { prompt_tokens: 1_000, completion_tokens: 500 }
  world.upstream.enqueue(reply('Large.', { usage }))
  const first = await post(at, ask('One'))
  world.upstream.enqueue(error(500))
  second.enqueue(reply('Small.', { usage }))
  const next = await post(at, ask('Two'))
  expect([first, next].map(({ usage: { cost } }) => cost)).toEqual([1.5, 1.5])
  expect(first.x_service.usage.upstreams).toEqual([{ step: 1, name: 'large', passed: [] }])
  expect(await world.broken()).toEqual([])
})

test('a server that sends no word in time is passed over', async () => {
  const at = await replica({ label: 'in reserve' }, { first_word_seconds: 1 })
  world.upstream.enqueue(stall())
  second.enqueue(reply('In time.'))
  const { x_service } = await post(at, ask('Slow?'))
  expect(x_service.usage.upstreams).toEqual([
    { step: 1, name: 'in reserve', passed: [{ name: 'large', reason: 'timeout' }] },
  ])
})

test('a failure after the first word is the end of the turn', async () => {
  const at = await replica()
  world.upstream.enqueue([{ text: 'Half an' }, { destroy: true }])
  const from = second.requests.length
  const answer = await post(at, ask('Half?'))
  expect(answer.x_service.status).toBe('failed')
  expect(second.requests).toHaveLength(from)
})

test('a model with one server reports no servers', async () => {
  world.upstream.enqueue(reply('Alone.'))
  const answer = await post(world.service, ask('Alone?'))
  expect(answer.x_service.usage).not.toHaveProperty('upstreams')
})

test.each([
  ['fallbacks.0.on', { on: [] }, {}],
  ['fallbacks.0.on', { on: ['refusal'] }, {}],
  ['fallbacks', {}, { base_url: undefined }],
])('a catalogue with wrong %s does not open', async (place, fallback, more) => {
  const file = await catalogueFile(fallback, more)
  const none = { baseUrl: undefined, apiKey: undefined, name: undefined }
  await expect(openCatalogue({ ...none, catalogueFile: file })).rejects.toThrow(`models.0.${place}`)
})
