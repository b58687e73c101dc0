import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { isWrittenForm } from '../../src/web/kept-forms/kept-form.ts'
import { openPage, type PageRow, pageRows } from '../support/page-routes.ts'
import { goodPassword, openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { makeThings, ownerKey, type Things } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let things: Things
const served: string[] = []
const visitors = new Map<string, TestVisitor>()

const notePages = (message: unknown) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url, config }) => {
    if (config?.scope !== 'page') return
    for (const one of [method].flat()) served.push(`${one} ${url} ${config.page}`)
  })
}

beforeAll(async () => {
  subscribe('fastify.initialization', notePages)
  world = await openWorld(unhurried)
  unsubscribe('fastify.initialization', notePages)
  const { db, service } = world
  for (const name of ['owner', 'other', 'operator'])
    visitors.set(name, await signedUp(service, `${name}@example.org`))
  visitors.set('nobody', openVisitor(service))
  const rows = await world.rows<{ id: string }>(
    `update accounts set plan = 'pro', operator = (email like 'operator@%') returning id, email`,
  )
  const owner =
    (rows as { id: string; email: string }[]).find(({ email }) => email.startsWith('owner@'))?.id ?? ''
  things = await makeThings(db, service, { accountId: owner, key: await ownerKey(db, owner) })
})
afterAll(() => world.close())

/** All that a visitor could compare, without what differs between any two requests. */
async function comparable(response: Response): Promise<unknown> {
  const headers = [...response.headers].filter(([name]) => !/^(date|x-request-id)$/.test(name))
  const text = (await response.text()).replaceAll(/req_\w+/g, '')
  const withoutNonces = JSON.stringify({ headers, text }).replaceAll(/nonce(-|=\\")[\w-]{22}/g, 'nonce')
  return { status: response.status, answer: withoutNonces }
}

test('the table has every page of the service, with who it says may open it', () => {
  const pages = served.filter((route) => !route.startsWith('HEAD '))
  expect(pages.toSorted()).toEqual(pageRows.map(({ route, page }) => `${route} ${page}`).toSorted())
})

/** What each visitor gets: those who must sign in are sent there, and what is another's is not there. */
function expected({ page, own, ok = 200 }: PageRow): Readonly<Record<string, number>> {
  if (page === 'anyone') return { nobody: ok, other: ok, operator: ok, owner: ok }
  if (page === 'operator') return { nobody: 303, other: 404, operator: ok, owner: 404 }
  return { nobody: 303, other: own ? 404 : ok, operator: own ? 404 : ok, owner: ok }
}

test.each(pageRows)('$route opens for those who may, and for nobody else', async (row) => {
  const got: Record<string, number> = {}
  for (const name of ['nobody', 'other', 'operator', 'owner']) {
    const visitor = visitors.get(name) ?? openVisitor(world.service)
    const response = await openPage(world.service, row, visitor, (await row.own?.(things, world)) ?? '')
    got[name] = response.status
    if (row.page !== 'anyone' && name === 'nobody')
      expect(response.headers.get('location')).toMatch(/^\/signin(\?next=|$)/)
    await response.body?.cancel()
    if (row.ends && name !== 'nobody')
      await visitor.post('/signin', { email: `${name}@example.org`, password: goodPassword })
  }
  // Who is signed in is led on from where one signs in.
  const signedIn = /^GET \/(sign(in|up))?$/.test(row.route) ? { other: 303, operator: 303, owner: 303 } : {}
  expect(got).toEqual({ ...expected(row), ...signedIn })
})

const byId = pageRows.filter(({ own, page }) => own && page === 'account')

test.each(byId)('$route answers a foreign and a missing id alike in all headers and bytes', async (row) => {
  const other = visitors.get('other') ?? openVisitor(world.service)
  const ids = [await row.own?.(things, world), newId('session'), 'x', '%00', '../x', 'א'.repeat(50)]
  const [first, ...more] = await Promise.all(
    ids.map(async (id) => comparable(await openPage(world.service, row, other, id ?? ''))),
  )
  expect(first).toMatchObject({ status: 404 })
  for (const one of more) expect(one).toEqual(first)
})

test('a question in the conversation or the project of somebody else is 404, and their lists show nothing of it', async () => {
  const other = visitors.get('other') ?? openVisitor(world.service)
  const { sessionId: session, projectId: project } = things
  for (const place of [{ session }, { project }]) {
    const reply = await other.post('/ask', { form: 'req_1', model: 'service', question: 'Mine?', ...place })
    expect(reply.status).toBe(404)
  }
  const lists = await Promise.all(['/ask', '/projects'].map(async (path) => (await other.get(path)).text()))
  for (const id of [session, project]) expect(lists.join()).not.toContain(id)
})

/** Forms in which nobody writes, or only passwords and confirmations; `ask/files` and `:id/files` send files. */
const nothingWritten =
  /\/(delete|share|unshare|revoke|cancel|clear|plan|reset-password|suspend|resume|release|export|start|end|app|confirm|codes|off|connect|disconnect|passkeys|remove|files|daily|password|address|rotate|test|send|act|leave|role)$/

test('each form is given back after a refusal, unless nobody writes in it', () => {
  const forms = pageRows.filter(({ route, page }) => route.startsWith('POST') && page !== 'anyone')
  const kept = forms.filter(({ route }) => {
    const url = (route.split(' ')[1] ?? '').replace(/:\w+/, 'x')
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-dest': 'document' }
    return isWrittenForm({ url, headers } as unknown as FastifyRequest)
  })
  const others = forms.filter((one) => !kept.includes(one)).map(({ route }) => route)
  expect(others.filter((route) => !nothingWritten.test(route))).toEqual([])
  expect(kept.filter(({ route }) => nothingWritten.test(route))).toEqual([])
})
