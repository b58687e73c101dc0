import { beforeAll, expect, test } from 'vitest'
import {
  knownBrowser,
  knownBrowserDays,
  knownBrowserToken,
} from '../../src/accounts/sign-in/known-browsers.ts'
import { goodPassword, openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { testPeppers } from '../support/world/accounts.ts'
import { useWorld, type World } from '../support/world/world.ts'

let { service } = {} as World
/** An owner who has signed in once, and whose account strangers then guessed at. */
let owner: TestVisitor
let guessed: readonly number[]

const world = useWorld({ model: 'built-in', trustProxy: 1 })
beforeAll(async () => {
  ;({ service } = world)
  owner = await signedUp(service, 'owner@example.org')
  guessed = await guesses('owner@example.org', 32)
})

const signIn = (visitor: TestVisitor, email: string, password: string, address: string) =>
  visitor.post(
    '/signin',
    { email, password },
    { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': address },
  )

/** Guesses from as many addresses as there are guesses. */
async function guesses(email: string, count: number): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < count; n += 1)
    statuses.push((await signIn(openVisitor(service), email, `guess ${n}`, `10.0.${n}.1`)).status)
  return statuses
}

const thirty = [...Array(30).fill(400), 429, 429]

test('wrong passwords from 32 addresses are 30 tries of an account', async () => {
  expect(guessed).toEqual(thirty)
  const stranger = await signIn(openVisitor(service), 'owner@example.org', goodPassword, '192.0.2.1')
  expect(stranger.status).toBe(429)
  expect(await stranger.text()).toMatch(/Try again in \d+ min\. Or use a browser/)
})

test('an address without an account is limited in the same way', async () => {
  expect(await guesses('nobody@example.org', 32)).toEqual(thirty)
})

test('the owner who is signed in changes the password, whatever strangers tried', async () => {
  const fields = { current: goodPassword, next: goodPassword }
  const reply = await owner.post('/settings/account/password', fields)
  expect(reply.headers.get('location')).toBe('/settings/account?done=password')
})

test('the owner signs in from a browser that did before, whatever strangers tried', async () => {
  await owner.post('/signout', {})
  expect((await signIn(owner, 'owner@example.org', goodPassword, '192.0.2.2')).status).toBe(303)
  const other = await signedUp(service, 'other@example.org')
  expect((await signIn(other, 'owner@example.org', goodPassword, '192.0.2.3')).status).toBe(429)
})

test('a known browser has ten tries in 15 minutes from all addresses together', async () => {
  const owner = await signedUp(service, 'ten@example.org')
  await owner.post('/signout', {})
  const statuses: number[] = []
  for (let n = 0; n < 12; n += 1)
    statuses.push((await signIn(owner, 'ten@example.org', `guess ${n}`, `10.1.${n}.1`)).status)
  expect(statuses).toEqual([...Array(10).fill(400), 429, 429])
})

test('right passwords do not use up the tries of an account', async () => {
  await signedUp(service, 'often@example.org')
  for (let n = 0; n < 31; n += 1) {
    const visitor = openVisitor(service)
    expect((await signIn(visitor, 'often@example.org', goodPassword, `10.2.${n}.1`)).status).toBe(303)
  }
})

test('a browser is known by an intact, unexpired token of the account', () => {
  const token = knownBrowserToken(testPeppers, 'a@example.org')
  expect(knownBrowser(testPeppers, ' A@Example.org', token)).toMatch(/^[\w-]{16}$/)
  const wrong = [undefined, '', token.slice(1), `${token}x`, token.replace(/^\d/, '9')]
  for (const text of wrong) expect(knownBrowser(testPeppers, 'a@example.org', text)).toBeUndefined()
  expect(knownBrowser(testPeppers, 'b@example.org', token)).toBeUndefined()
  const later = Date.now() + (knownBrowserDays * 86_400 + 1) * 1_000
  expect(knownBrowser(testPeppers, 'a@example.org', token, later)).toBeUndefined()
})
