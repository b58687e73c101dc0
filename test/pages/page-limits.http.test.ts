import { beforeAll, expect, test } from 'vitest'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { isShort } from '../support/full.ts'
import { form, send } from '../support/http-raw.ts'
import { openVisitor, signedUp } from '../support/visitor.ts'
import { makeKey, makeProject } from '../support/world/accounts.ts'
import { newPerson } from '../support/world/person.ts'
import { useWorld, type World } from '../support/world/world.ts'

let { service } = {} as World

const plans = {
  names: builtInPlans.names,
  of: (name: string) => ({ ...builtInPlans.of(name), requestsPerMinute: 10, storedBytes: 1_000 }),
}
const world = useWorld({ plans, model: 'built-in', trustProxy: 1 })
beforeAll(async () => {
  ;({ service } = world)
})

test('an account may load as many pages a minute as a visitor, whatever its plan', async () => {
  const visitor = await signedUp(service, 'busy@example.org')
  const statuses: number[] = []
  for (let n = 0; n < 61; n += 1) {
    const loads = Array.from({ length: 10 }, async () => (await visitor.get('/signin')).status)
    statuses.push(...(await Promise.all(loads)))
  }
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  const refused = await visitor.post('/projects', { name: 'One too many' })
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await refused.text()).toContain('600 pages per minute')
  const inWindow = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }
  const form = await visitor.post('/projects', { name: 'Written in haste' }, inWindow)
  expect([form.status, await form.text()]).toEqual([429, expect.stringContaining('value="Written in haste"')])
  expect((await visitor.get('/assets/any/base.css')).status).toBe(200)
  const other = await signedUp(service, 'calm@example.org')
  expect((await other.get('/settings/keys')).status).toBe(200)
})

test.skipIf(isShort)(
  'pages of somebody who is not signed in count for the address, up to 600 a minute',
  async () => {
    const get = (address: string) =>
      openVisitor(service).get('/signin', { 'x-forwarded-for': address, cookie: 'session=none' })
    const statuses: number[] = []
    for (let n = 0; n < 61; n += 1)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 10 }, () => get('192.0.2.1')))).map((r) => r.status),
      )
    expect(statuses.filter((status) => status === 200)).toHaveLength(600)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
    expect((await get('192.0.2.2')).status).toBe(200)
  },
)

test('a question that is too long is refused beside its form, with the text kept', async () => {
  const visitor = await signedUp(service, 'writes@example.org')
  const question = `${'a'.repeat(50_000)}z`
  const refused = await visitor.post('/ask', { form: 'f', question, model: 'service' })
  const page = await refused.text()
  expect(refused.status).toBe(400)
  expect(page).toContain('The question has more than 50,000 characters. Shorten it')
  expect(page).toContain(`>${question}</textarea>`)
  const accepted = await visitor.post('/ask', { form: 'g', question: question.slice(1), model: 'service' })
  expect(accepted.status).toBe(303)
})

test('the page Usage shows limits of the plan only when they are near', async () => {
  const { visitor, accountId: id } = await newPerson(world, 'stores@example.org', `plan = 'pro'`)
  const key = await makeKey(world.db.database, id, { reach: { kind: 'owner' } })
  const projectId = await makeProject(world.db.database, id)
  const store = async (filename: string, bytes: number) => {
    const parts = form([
      { name: 'project_id', value: projectId },
      { name: 'file', filename, content: 'a'.repeat(bytes) },
    ])
    expect((await send(service, { method: 'POST', path: '/v1/files', key, ...parts })).status).toBe(200)
  }
  /** Names of the limits that stand outside of the part that opens. */
  const shown = async () => {
    const [open = ''] = (await (await visitor.get('/usage')).text()).split('<details class="all-limits">')
    expect(open).toContain('<h1>Usage</h1>')
    return [...open.matchAll(/<li><h3>([^<]*)<\/h3>/g)].map(([, name]) => name)
  }
  await store('a.txt', 799)
  expect(await shown()).toEqual([])
  await store('b.txt', 1)
  expect(await shown()).toEqual(['Storage'])
})
