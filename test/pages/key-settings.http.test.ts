import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { signedUp, type TestVisitor } from '../support/visitor.ts'
import { newPerson } from '../support/world/person.ts'
import { bodyOf, call } from '../support/world/requests.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

let visitor: TestVisitor

const world = useWorld(unhurried)
beforeAll(async () => {
  visitor = await signedUp(world.service, 'keys@example.org')
  await world.rows(`update accounts set plan = 'pro'`)
})

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
  expect(await (await visitor.get('/settings/keys')).text()).toContain('0 of 7 credits in all')
})

test.each(['/settings/keys', 'edit'])('an invalid limit comes back with its reason: %s', async (form) => {
  const { key, id } = await create({ day_cap: '1' })
  const path = form === 'edit' ? `/settings/keys/${id}` : form
  const reply = await visitor.post(path, fields({ day_cap: 'much' }))
  expect(reply.status).toBe(400)
  const page = await reply.text()
  expect(page).toContain('“Credits per day (UTC)”')
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

test('a list of more keys than a page is filtered over all of them, and paged', async () => {
  const { visitor: owner, accountId: id } = await newPerson(world, 'many-keys@example.org')
  await world.rows(
    `insert into api_keys (id, account_id, name, prefix, last_four, digest, pepper_version, scopes, binding, created_at,
       revoked_at, expires_at)
     select 'key_many' || n, $1, 'Server 50% ' || n, 'svc_many', lpad(n::text, 4, '0'), decode(lpad(n::text, 64, '0'), 'hex'),
       1, '{chat:write}', 'owner', timestamptz '2026-01-01' + make_interval(mins => n),
       case when n = 2 then now() end, case when n = 3 then now() - interval '1 hour' end
     from generate_series(1, 45) n`,
    id,
  )
  const namesOn = (page: string) =>
    [...page.matchAll(/<th[^>]*><bdi[^>]*>Server 50% (\d+)<\/bdi>/g)].map(([, n]) => Number(n))
  const read = async (path: string) => (await owner.get(path)).text()
  const older = (page: string) =>
    /<p class="pager">\s*<a[^>]* href="([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
  const shown: number[] = []
  for (let path: string | undefined = '/settings/keys'; path !== undefined; ) {
    const page = await read(path)
    shown.push(...namesOn(page))
    path = older(page)
  }
  expect(shown).toEqual(Array.from({ length: 45 }, (_, i) => 45 - i))
  expect(namesOn(await read('/settings/keys?q=server+50%25+1'))).toEqual([
    19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 1,
  ])
  expect(namesOn(await read('/settings/keys?q=many%E2%80%A60007'))).toEqual([7])
  expect(namesOn(await read('/settings/keys?state=revoked'))).toEqual([2])
  expect(namesOn(await read('/settings/keys?state=expired'))).toEqual([3])
  const active = await read('/settings/keys?state=active&q=Server')
  expect(namesOn(active)).toHaveLength(20)
  expect(older(active)).toMatch(/\?q=Server&state=active&after=key_many26$/)
  expect(await read('/settings/keys?q=none')).toContain('No matching keys')
})

test('a page of keys after one that the account does not have is refused', async () => {
  const stranger = await signedUp(world.service, 'stranger@example.org')
  const { id } = await create()
  expect((await visitor.get(`/settings/keys?after=${id}`)).status).toBe(200)
  for (const after of [id, 'zz'])
    expect((await stranger.get(`/settings/keys?after=${after}`)).status).toBe(400)
})
