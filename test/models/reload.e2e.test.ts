import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useLibraryDatabase } from '../support/database.ts'
import { launchService } from '../support/service-process.ts'
import { callTools, gate, reply } from '../support/upstream-scripts.ts'
import { pepperText } from '../support/world/accounts.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask } from '../support/world/requests.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
const library = useLibraryDatabase()
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'reload-'))
  world = await openWorld()
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

const file = () => path.join(folder, 'models.json')
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

test('a service takes a changed MODELS_FILE over, and keeps the old one when it is wrong', async () => {
  await write('service', 'first')
  const settings = { DATABASE_URL: library.url, KEY_PEPPER: pepperText, MODELS_FILE: file() }
  const service = launchService(folder, settings)
  try {
    const base = await service.ready
    const models = async () => {
      const state = (await (await fetch(`${base}/readyz?details`)).json()) as { models: { model: string }[] }
      return state.models.map(({ model }) => model)
    }
    await expect.poll(models).toEqual(['service', 'first'])
    await write('service', 'second')
    await expect.poll(models, { timeout: 20_000 }).toEqual(['service', 'second'])
    await writeFile(file(), '{"models": [\n{"id": "third", "base_url": 7}]}')
    await expect
      .poll(() => service.output(), { timeout: 20_000 })
      .toMatch(/"level":50.*models\.0\.base_url: .*\(line 2\)/)
    expect(await models()).toEqual(['service', 'second'])
  } finally {
    await service.stop('SIGTERM')
  }
})
