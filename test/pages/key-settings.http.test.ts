import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { signedUp, type TestVisitor } from '../support/visitor.ts'
import { bodyOf, call } from '../support/world/requests.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let visitor: TestVisitor

beforeAll(async () => {
  world = await openWorld(unhurried)
  visitor = await signedUp(world.service, 'keys@example.org')
  await world.db.database.systemPool.query(`update accounts set plan = 'pro'`)
})
afterAll(() => world.close())

const fields = (more: Readonly<Record<string, string>> = {}) => ({
  ...{ id: newId('key'), name: 'Bot', scopes: 'chat:write', reach: 'dedicated', expires: 'never' },
  ...more,
})

/** Creates a key with the form. Returns its id and its text. */
async function create(more: Readonly<Record<string, string>> = {}) {
  const page = await (await visitor.post('/settings/keys', fields(more))).text()
  const key = /svc_[0-9A-Za-z]{49}/.exec(page)?.[0] ?? ''
  const { id } = await bodyOf(call(world.service, key, 'GET', '/v1/key'))
  return { key, id: id as string }
}

const infoOf = (key: string) => bodyOf(call(world.service, key, 'GET', '/v1/key'))

/** The value of a field of a page: of an input, or the chosen option of a list. */
function fieldOf(page: string, name: string): string | undefined {
  const input = new RegExp(`<input name="${name}" value="([^"]*)"`).exec(page)
  const list = new RegExp(`<select name="${name}">(.*?)</select>`, 's').exec(page)?.[1] ?? ''
  return input?.[1] ?? /value="([^"]*)" dir="auto" selected/.exec(list)?.[1]
}

test('the form for a new key sets its limits and defaults', async () => {
  const { key } = await create({
    day_cap: '2.5',
    concurrent_turns: '3',
    tools: 'none',
    on_disconnect: 'cancel',
  })
  expect(await infoOf(key)).toMatchObject({
    spending: { day: { cap: '2.5' }, month: { cap: null } },
    limits: { concurrent_turns: 3, requests_per_minute: null },
    defaults: { tools: [], on_disconnect: 'cancel' },
  })
})

test('the form to edit a key shows what is set and changes it', async () => {
  const { key, id } = await create({ month_cap: '100', model: 'service-lite', tools: 'library,files' })
  const page = await (await visitor.get(`/settings/keys/${id}`)).text()
  expect(fieldOf(page, 'month_cap')).toBe('100')
  expect(fieldOf(page, 'model')).toBe('service-lite')
  expect(fieldOf(page, 'tools')).toBe('library,files')
  expect(page).toContain('0 of 100 credits')
  const change = { name: 'Other bot', month_cap: '', total_cap: '7', citation_style: 'links' }
  const saved = await visitor.post(`/settings/keys/${id}`, change)
  expect([saved.status, saved.headers.get('location')]).toEqual([303, '/settings/keys?done=saved'])
  const { name, spending, defaults } = await infoOf(key)
  expect({ name, defaults }).toEqual({ name: 'Other bot', defaults: { citation_style: 'links' } })
  expect(spending).toMatchObject({ month: { cap: null }, total: { cap: '7' } })
  expect(await (await visitor.get('/settings/keys')).text()).toContain('7 credits in all')
})

test.each(['/settings/keys', 'edit'])('an invalid limit comes back with its reason: %s', async (form) => {
  const { key, id } = await create({ day_cap: '1' })
  const path = form === 'edit' ? `/settings/keys/${id}` : form
  const reply = await visitor.post(path, fields({ day_cap: 'much' }))
  expect(reply.status).toBe(400)
  const page = await reply.text()
  expect(page).toContain('is not an amount of credits')
  expect(fieldOf(page, 'day_cap')).toBe('much')
  expect((await infoOf(key)).spending.day.cap).toBe('1')
})

test('a revoked key cannot be edited', async () => {
  const { id } = await create()
  await visitor.post(`/settings/keys/${id}/revoke`, {})
  expect((await visitor.get(`/settings/keys/${id}`)).status).toBe(404)
  expect((await visitor.post(`/settings/keys/${id}`, { name: 'Bot' })).status).toBe(404)
})
