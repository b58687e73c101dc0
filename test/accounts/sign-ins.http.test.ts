import { beforeAll, expect, test } from 'vitest'
import { goodPassword, openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { actionsOf } from '../support/world/person.ts'
import { useWorld, type World } from '../support/world/world.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'
const edge =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0'

let { service } = {} as World

const world = useWorld({ model: 'built-in' })
beforeAll(async () => {
  ;({ service } = world)
})

const page = async (visitor: TestVisitor) => (await visitor.get('/settings/account')).text()
const isSignedIn = async (visitor: TestVisitor) => (await visitor.get('/settings/account')).status === 200
const buttons = (text: string) => [...text.matchAll(/action="(\/settings\/account\/sign-ins\/[^"/]+\/end)"/g)]

async function signedInAs(email: string, agent: string): Promise<TestVisitor> {
  const visitor = openVisitor(service)
  const headers = { 'sec-fetch-site': 'same-origin', 'user-agent': agent }
  await visitor.post('/signin', { email, password: goodPassword }, headers)
  return visitor
}

test('the list names each browser, marks the one that asks, and has no token', async () => {
  const email = 'list@example.org'
  await signedUp(service, email)
  const [one, other] = [await signedInAs(email, firefox), await signedInAs(email, edge)]
  const text = await page(one)
  for (const name of ['Firefox, Linux', 'Edge, Windows']) expect(text).toContain(name)
  expect(text.match(/This browser/g)).toHaveLength(1)
  expect(buttons(text)).toHaveLength(2)
  for (const { cookies } of [one, other]) expect(text).not.toContain(cookies.get('session'))
})

test('a browser that is signed out from the list is out at once, and the others stay in', async () => {
  const email = 'one@example.org'
  const [own, other] = [await signedUp(service, email), await signedInAs(email, edge)]
  const path = buttons(await page(own))[0]?.[1] ?? ''
  expect((await own.post(path, {})).headers.get('location')).toBe('/settings/account?done=signed-out-one')
  expect([await isSignedIn(own), await isSignedIn(other)]).toEqual([true, false])
  expect((await own.post(path, {})).status).toBe(404)
  expect((await actionsOf(world, email)).at(-1)).toBe('session.ended')
})

test('nobody ends a session of another account', async () => {
  const [own, stranger] = [
    await signedUp(service, 'mine@example.org'),
    await signedUp(service, 'stranger@example.org'),
  ]
  await signedInAs('mine@example.org', firefox)
  const path = buttons(await page(own))[0]?.[1] ?? ''
  expect((await stranger.post(path, {})).status).toBe(404)
  expect(buttons(await page(own))).toHaveLength(1)
})

test('sign-out everywhere ends every session of the account and none of another', async () => {
  const email = 'all@example.org'
  const [own, other] = [await signedUp(service, email), await signedInAs(email, edge)]
  const stranger = await signedUp(service, 'stays@example.org')
  const done = await own.post('/settings/account/sign-ins/end', {})
  expect(done.headers.get('location')).toBe('/signin?done=signed-out-everywhere')
  expect(own.cookies.has('session')).toBe(false)
  expect([await isSignedIn(own), await isSignedIn(other), await isSignedIn(stranger)]).toEqual([
    false,
    false,
    true,
  ])
  expect((await actionsOf(world, email)).at(-1)).toBe('session.all_ended')
})

test('a long or strange name of a browser is stored shortened and shown as text', async () => {
  const email = 'strange@example.org'
  await signedUp(service, email)
  const visitor = await signedInAs(email, `<script>alert(1)</script>${'x'.repeat(5_000)}`)
  const text = await page(visitor)
  expect(text).toContain('&lt;script&gt;')
  expect(text).not.toContain('x'.repeat(60))
})
