import { beforeAll, expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { readConversation } from '../../src/turns/run/transcript.ts'
import { reply } from '../support/upstream-scripts.ts'
import { signedUp } from '../support/visitor.ts'
import { ask, bodyOf, call } from '../support/world/requests.ts'
import { ownerKey } from '../support/world/things.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ script: () => reply('An answer.'), web: { signUpPlan: 'pro' } })

const send = (method: string, path: string, body?: unknown) =>
  call(world.service, world.key, method, path, body)
const user = (content: string) => ({ role: 'user', content })

async function longConversation(items: number): Promise<string> {
  const { id } = await bodyOf(send('POST', '/v1/conversations', {}))
  for (let n = 0; n < items; n += 2) {
    const texts = [n, n + 1].map((number) => user(`${number} ${'word '.repeat(190_000)}`))
    const { status } = await send('POST', `/v1/conversations/${id}/items`, { items: texts })
    expect(status).toBe(200)
  }
  return id
}

const maxReply = 17_500_000
const itemCount = 20
let conversation = ''
beforeAll(async () => {
  conversation = await longConversation(itemCount)
})

test.each([
  ['items', (id: string) => `/v1/conversations/${id}/items`],
  ['messages', (id: string) => `/v1/agent/sessions/${id.replace('conv_', 'sess_')}/messages`],
])('a page of %s ends before it is too long, and the next one goes on', async (_, pathOf) => {
  const path = pathOf(conversation)
  const numbers: number[] = []
  for (let after = '', hasMore = true; hasMore; ) {
    const text = await (await send('GET', `${path}?order=asc&limit=1000${after}`)).text()
    expect(text.length).toBeLessThan(maxReply)
    const page = JSON.parse(text)
    for (const { content } of page.data) {
      numbers.push(Number.parseInt(typeof content === 'string' ? content : content[0].text, 10))
    }
    hasMore = page.has_more
    after = `&after=${page.last_id}`
  }
  expect(numbers).toEqual(Array.from({ length: itemCount }, (_, n) => n))
})

const assistant = (content: string) => ({ role: 'assistant', content })

test('of a long conversation a turn reads its input, instructions, and the newest messages from a question on', async () => {
  const items = [
    { role: 'system', content: 'Be brief.' },
    user(`first ${'a'.repeat(400)}`),
    assistant('one'),
    user(`second ${'b'.repeat(400)}`),
    assistant(`two ${'c'.repeat(400)}`),
    user('third'),
    assistant('three'),
  ]
  const { id } = await bodyOf(send('POST', '/v1/conversations', { items }))
  const session = { id: 'none', sessionId: id.replace('conv_', 'sess_'), turn: 1 }
  const read = async (maxLength?: number) =>
    (await withTx(world.db.database, 'system', (tx) => readConversation(tx, session, maxLength))).map(
      ({ role, content }) => `${role} ${String(content).slice(0, 6).trim()}`,
    )
  const newest = ['user third', 'assistant three']
  expect(await read()).toHaveLength(7)
  expect(await read(1_100)).toEqual(['system Be bri', 'user second', 'assistant two cc', ...newest])
  expect(await read(700)).toEqual(['system Be bri', ...newest])
})

test('the pages show the beginning of a question that only programs can ask, without a form to ask it again', async () => {
  const owner = await signedUp(world.service, 'long@example.org')
  const { id } = await world.row<{ id: string }>(`select id from accounts where email = 'long@example.org'`)
  const key = await ownerKey(world.db, id)
  const asked = async (question: string) => {
    const { x_service } = await bodyOf(
      call(world.service, key, 'POST', '/v1/chat/completions', ask(question)),
    )
    return (await owner.get(`/sessions/${x_service.session_id}`)).text()
  }
  expect(await asked('Why joy?')).toContain('/branch"')
  const page = await asked(`${'joy '.repeat(15_000)}the end`)
  expect(page).toContain('joy joy')
  expect(page).not.toContain('the end')
  expect(page).not.toContain('/branch"')
})
