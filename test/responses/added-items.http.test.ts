import { beforeAll, expect, test } from 'vitest'
import { bodyOf, call } from '../support/world/requests.ts'
import { makeOwner } from '../support/world/things.ts'
import { useWorld } from '../support/world/world.ts'

let owner: { readonly accountId: string; readonly key: string }

const world = useWorld()
beforeAll(async () => {
  owner = await makeOwner(world.db, 'basic')
})

const send = (method: string, path: string, body?: unknown, key = owner.key) =>
  call(world.service, key, method, path, body)
const text = { role: 'user', content: 'word '.repeat(1_000) }
const newConversation = async (items: readonly object[] = []): Promise<string> =>
  (await bodyOf(send('POST', '/v1/conversations', { items }))).id
const add = (id: string, count = 1, key = owner.key) =>
  send('POST', `/v1/conversations/${id}/items`, { items: Array(count).fill(text) }, key)
const setAdded = (id: string, bytes: number) =>
  world.rows('update sessions set added_bytes = $2 where id = $1', id.replace('conv_', 'sess_'), bytes)
const gibibyte = 1024 ** 3

test('items that are added to conversations have at most the storage of the plan, over all conversations', async () => {
  const [full, other] = [await newConversation(), await newConversation()]
  await setAdded(full, gibibyte - 8_000)
  expect((await add(other)).status).toBe(200)
  const refused = await add(other)
  expect(refused.status).toBe(400)
  expect((await bodyOf(refused)).error).toMatchObject({ param: 'items', code: 'invalid_value' })
  expect((await send('POST', '/v1/conversations', { items: [text] })).status).toBe(400)
  const stranger = await makeOwner(world.db, 'basic')
  const { id } = await bodyOf(send('POST', '/v1/conversations', {}, stranger.key))
  expect((await add(id, 1, stranger.key)).status).toBe(200)
  await send('DELETE', `/v1/conversations/${full}`)
  expect((await add(other)).status).toBe(200)
})

test('concurrent requests do not pass the storage of the plan together', async () => {
  const conversations = await Promise.all(Array.from({ length: 6 }, () => newConversation()))
  const full = await newConversation()
  const [{ added = 0 } = {}] = await world.rows<{ added: number }>(
    'select sum(added_bytes)::int as added from sessions where account_id = $1',
    owner.accountId,
  )
  await setAdded(full, gibibyte - added - 12_000)
  const statuses = await Promise.all(conversations.map(async (id) => (await add(id)).status))
  expect(statuses.filter((status) => status === 200)).toHaveLength(2)
  await send('DELETE', `/v1/conversations/${full}`)
})

test('a deleted item frees its room', async () => {
  const id = await newConversation([text, text])
  const bytes = async () =>
    (
      await world.row<{ added: string }>(
        'select added_bytes as added from sessions where id = $1',
        id.replace('conv_', 'sess_'),
      )
    ).added
  const whole = Number(await bytes())
  expect(whole).toBeGreaterThan(10_000)
  const { data } = await bodyOf(send('GET', `/v1/conversations/${id}/items`))
  await send('DELETE', `/v1/conversations/${id}/items/${data[0].id}`)
  expect(Number(await bytes())).toBe(whole / 2)
  await send('DELETE', `/v1/conversations/${id}/items/${data[1].id}`)
  expect(Number(await bytes())).toBe(0)
})
