import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCatalogue } from '../../src/models/model-catalogue.ts'
import { useFolder } from '../support/folder.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { callTools, error, gate, reply, stall } from '../support/upstream-scripts.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { useWorld } from '../support/world/world.ts'

type Upstreams = readonly {
  readonly step: number
  readonly name: string
  readonly passed: readonly object[]
}[]
type Answer = Completion & { readonly x_service: { readonly usage: { readonly upstreams?: Upstreams } } }

let second: ScriptedUpstream

const folder = useFolder()
const world = useWorld()
beforeAll(async () => {
  second = await startScriptedUpstream()
})
afterAll(() => second.close())

let files = 0

/** A catalogue with `service` at the first server, and the second one as its fallback. */
async function catalogueFile(fallback: object = {}, more: object = {}): Promise<string> {
  files += 1
  const file = path.join(folder, `models-${files}.json`)
  const price = { input: 1, cached_input: 0.1, output: 1, tool_call: 0 }
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

test('a turn has the price and options of the model that was asked for, whoever answers', async () => {
  const at = await replica({}, { temperature: 0.5, max_output_tokens: 300 })
  const prompt_tokens_details = { cached_tokens: 500 }
  const usage = { prompt_tokens: 1_000, completion_tokens: 500, prompt_tokens_details }
  world.upstream.enqueue(reply('Large.', { usage }))
  const first = await post(at, ask('One'))
  world.upstream.enqueue(error(500))
  second.enqueue(reply('Small.', { usage }))
  const next = await post(at, ask('Two'))
  expect([first, next].map(({ usage: { cost } }) => cost)).toEqual([1.05, 1.05])
  expect(second.requests.at(-1)?.body).toMatchObject({ temperature: 0.5, max_tokens: 300 })
  expect(first.x_service.usage.upstreams).toEqual([{ step: 1, name: 'large', passed: [] }])
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

const file = () => path.join(folder, 'reloaded.json')
async function write(...ids: readonly string[]): Promise<void> {
  const models = ids.map((id) => ({ id, base_url: world.upstream.baseUrl, name: id }))
  await writeFile(file(), JSON.stringify({ models }))
}

test('a running turn ends with its model after the file has lost it, and new requests are refused', async () => {
  await write('service', 'leaving')
  const at = await world.start({ model: { catalogueFile: file() } })
  const { opened, open } = gate()
  world.upstream.enqueue(
    [{ waitFor: opened }, ...callTools([{ name: 'list_files', arguments: {} }])],
    reply('The end.'),
  )
  const asked = world.upstream.requests.length
  const running = world.chat(ask('Who answers?', { model: 'leaving' }), { at })
  await world.upstream.request(asked)
  await write('service')
  await at.catalogue.reload(async () => undefined)
  open()
  const answer = (await (await running).json()) as Completion
  expect(answer.choices[0]?.message.content).toBe('The end.')
  expect(world.upstream.requests.at(-1)?.body.model).toBe('leaving')
  const refused = await world.chat(ask('And now?', { model: 'leaving' }), { at })
  expect(refused.status).toBe(404)
  expect(await refused.json()).toMatchObject({ error: { code: 'model_not_found' } })
})

test('a queued turn of a model that the file has lost fails, and costs nothing', async () => {
  await write('service', 'leaving')
  const at = await world.start({ model: { catalogueFile: file() } })
  world.upstream.enqueue(reply('First.'))
  const first = (await (await world.chat(ask('One'), { at })).json()) as Completion
  const x_service = { session_id: first.x_service.session_id }
  const { opened, open } = gate()
  world.upstream.enqueue([{ waitFor: opened }, ...reply('Second.')])
  const asked = world.upstream.requests.length
  const running = world.chat(ask('Two', { x_service }), { at })
  await world.upstream.request(asked)
  const queued = world.chat(ask('Three', { model: 'leaving', x_service }), { at })
  const { systemPool } = world.db.database
  const waiting = () => systemPool.query(`select from runs where status = 'queued'`)
  await expect.poll(async () => (await waiting()).rowCount).toBe(1)
  await write('service')
  await at.catalogue.reload(async () => undefined)
  open()
  expect((await running).status).toBe(200)
  const failed = await queued
  expect([failed.status, await failed.json()]).toMatchObject([502, { error: { code: 'run_failed' } }])
  const { rows } = await systemPool.query(
    `select cost_micros::text as cost from runs where status = 'failed'`,
  )
  expect(rows).toEqual([{ cost: '0' }])
})
