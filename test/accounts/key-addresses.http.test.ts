import { beforeAll, expect, test } from 'vitest'
import { runLine } from '../support/command-line.ts'
import { signedUp } from '../support/visitor.ts'
import { makeKey } from '../support/world/accounts.ts'
import { bodyOf, call } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { useWorld } from '../support/world/world.ts'

/** Behind one trusted proxy, which a test plays. */
let proxied: TestService
const limit = 4

const world = useWorld()
beforeAll(async () => {
  proxied = await world.start({ trustProxy: 1, invalidKeysPerMinute: limit })
})

const keyFor = (...allowedAddresses: readonly string[]) =>
  makeKey(world.db.database, world.accountId, { reach: { kind: 'owner' }, settings: { allowedAddresses } })

async function answer(key: string, from: string, at = proxied) {
  const reply = await call(at, key, 'GET', '/v1/models', undefined, { 'x-forwarded-for': from })
  const { error } = await bodyOf(reply)
  return [reply.status, error?.code ?? '']
}

test.each([
  ['203.0.113.0/24', '203.0.113.9', '203.0.114.9'],
  ['203.0.113.9/32', '::ffff:203.0.113.9', '::ffff:203.0.113.8'],
  ['2001:db8:1::/48', '2001:db8:1:2::3', '2001:db8:2::3'],
])('a key for %s works from %s and gets 403 from %s', async (range, inside, outside) => {
  const key = await keyFor(range)
  expect(await answer(key, inside)).toEqual([200, ''])
  expect(await answer(key, outside)).toEqual([403, 'address_not_allowed'])
})

test('a key reads its own addresses', async () => {
  const local = await keyFor('127.0.0.1/32')
  const read = (key: string) => bodyOf(call(world.service, key, 'GET', '/v1/key'))
  expect(await read(local)).toMatchObject({ allowed_addresses: ['127.0.0.1/32'] })
  expect(await read(world.key)).toMatchObject({ allowed_addresses: null })
})

test('a client that writes the header itself is judged by its own address', async () => {
  const key = await keyFor('203.0.113.9/32')
  expect(await answer(key, '203.0.113.9', world.service)).toEqual([403, 'address_not_allowed'])
  const local = await keyFor('127.0.0.1/32')
  expect(await answer(local, '203.0.113.9', world.service)).toEqual([200, ''])
})

test('requests from an address outside are counted like invalid keys', async () => {
  const key = await keyFor('203.0.113.9/32')
  const codes: unknown[] = []
  for (let n = 0; n <= limit; n += 1) codes.push(await answer(key, '198.51.100.77'))
  expect(codes.slice(0, limit)).toEqual(Array(limit).fill([403, 'address_not_allowed']))
  expect(codes.at(-1)).toEqual([429, 'rate_limit_exceeded'])
  expect(await answer(key, '203.0.113.9')).toEqual([200, ''])
})

test('the management API sets, shows, keeps and removes the addresses of a key', async () => {
  const manager = await makeKey(world.db.database, world.accountId, {
    scopes: ['account:manage'],
    reach: { kind: 'owner' },
  })
  const send = (method: string, path: string, body: unknown) =>
    call(world.service, manager, method, path, body)
  const made = await bodyOf(send('POST', '/v1/keys', { name: 'x', allowed_addresses: ['10.1.2.3/8'] }))
  expect(made.allowed_addresses).toEqual(['10.0.0.0/8'])
  const rotated = await bodyOf(send('POST', `/v1/keys/${made.id}/rotate`, {}))
  expect(rotated.allowed_addresses).toEqual(['10.0.0.0/8'])
  const path = `/v1/keys/${rotated.id}`
  expect((await bodyOf(send('PATCH', path, { name: 'y' }))).allowed_addresses).toEqual(['10.0.0.0/8'])
  expect((await bodyOf(send('PATCH', path, { allowed_addresses: null }))).allowed_addresses).toBeNull()
  for (const wrong of [[], ['10.0.0.0/40']]) {
    const refused = await send('PATCH', path, { allowed_addresses: wrong })
    expect([refused.status, (await bodyOf(refused)).error.param]).toEqual([400, 'allowed_addresses'])
  }
})

test('the form of a key and the command line set its addresses', async () => {
  const visitor = await signedUp(world.service, 'addresses@example.org')
  const form = {
    id: `key_${'a'.repeat(24)}`,
    name: 'Bot',
    scopes: 'chat:write',
    reach: 'dedicated',
    expires: 'never',
  }
  await visitor.post('/settings/keys', { ...form, allowed_addresses: '2001:db8::1, 10.0.0.0/8' })
  const listed = JSON.parse(await runLine(world.db, ['keys', 'list', '--json'])) as {
    id: string
    settings: string
  }[]
  const made = listed.find(({ settings }) => settings.includes('allowed_addresses'))
  expect(made?.settings).toContain('2001:db8::1/128, 10.0.0.0/8')
  expect(await (await visitor.get(`/settings/keys/${made?.id}`)).text()).toContain(
    'value="2001:db8::1/128, 10.0.0.0/8"',
  )
  const changed = await runLine(world.db, [
    'keys',
    'change',
    `${made?.id}`,
    '--allowed-addresses',
    '192.0.2.1',
    '--json',
  ])
  expect(JSON.parse(changed).settings).toBe('allowed_addresses=192.0.2.1/32')
})
