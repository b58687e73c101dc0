import { beforeAll, expect, test } from 'vitest'
import type { Account } from '../../src/accounts/accounts.ts'
import { obedientModel } from '../models/obedient-model.ts'
import { runLine } from '../support/command-line.ts'
import { isShort } from '../support/full.ts'
import { checkInvariants } from '../support/invariants.ts'
import { rowsIn, wordsIn } from '../support/page-text.ts'
import { startScriptedUpstream } from '../support/scripted-upstream.ts'
import { openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { newPerson } from '../support/world/person.ts'
import { bodyOf, call, question } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'
import { importOwnTexts } from './browser/own-texts.ts'

let operator: TestVisitor
let customer: Account
let key: string

const world = useWorld({ model: 'built-in' })
beforeAll(async () => {
  await importOwnTexts(world.db.database)
  operator = (await newPerson(world, 'ops@example.org', 'operator = true')).visitor
  customer = await makeAccount(world.db.database, 'free')
  key = await makeKey(world.db.database, customer.id)
})

const pageOf = async (path: string) => (await operator.get(path)).text()
const send = (path: string, fields: Readonly<Record<string, string>>) => operator.post(path, fields)
const ofCustomer = (path = '') => `/operator/accounts/${customer.id}${path}`
/** Waits for the end of the reply: on a busy machine its status comes long before it, and before the charge. */
async function ask(service = world.service): Promise<Response> {
  const reply = await call(service, key, 'POST', '/v1/chat/completions', question('What of the lamp?'))
  await reply.text()
  return reply
}
const available = async () =>
  Number((await bodyOf(call(world.service, key, 'GET', '/v1/key'))).credits.available)

test('operator pages answer everybody else like a missing page', async () => {
  const other = await signedUp(world.service, 'curious@example.org')
  expect(await (await other.get('/ask')).text()).not.toContain('href="/operator"')
  const missing = async (path: string) => {
    const reply = await other.get(path)
    return [reply.status, (await reply.text()).replaceAll(/req_\w+|nonce="[^"]*"/g, '')]
  }
  const unknown = await missing('/no-such-page')
  expect(unknown[0]).toBe(404)
  for (const path of ['', '/audit', '/library', '/health', '/accounts/new', `/accounts/${customer.id}`])
    expect(await missing(`/operator${path}`)).toEqual(unknown)
})

test("an operator raises an account's plan, and its refused key works", async () => {
  expect((await ask()).status).toBe(403)
  expect(rowsIn(await pageOf(`/operator?q=${customer.email.slice(0, -12)}`), 'Accounts')).toHaveLength(1)
  await send(ofCustomer('/plan'), { plan: 'basic' })
  expect((await ask()).status).toBe(200)
  // What the month's allowance of the lower plan was short of has come on top.
  expect(await available()).toBeGreaterThan(990)
})

test('the list of accounts tells what each has spent and when it was last used', async () => {
  const all = rowsIn(await pageOf('/operator'), 'Accounts')
  const rowOf = (email: string) => all.find((row) => row.includes(email)) ?? ''
  expect(rowOf('ops@example.org')).toContain('>never<')
  const used = rowOf(customer.email)
  expect(used).not.toContain('>never<')
  const [, spent] = used.match(/<td[^>]* class="number"[\s\S]*?<\/td>/g) ?? []
  expect(Number.parseFloat(wordsIn(spent ?? ''))).toBeGreaterThan(0)
})

test('credits are granted once, however often the form is sent', async () => {
  const before = await available()
  const seen = /\/grant"><input type="hidden" name="seen" value="(\d+)"/.exec(await pageOf(ofCustomer()))?.[1]
  const grant = async (amount: string) => {
    const reply = await send(ofCustomer('/grant'), { amount, seen: seen ?? '' })
    return [reply.status, await reply.text()] as const
  }
  const [refused, form] = await grant('12,5')
  expect([refused, form]).toEqual([400, expect.stringContaining('a number above zero')])
  expect(form).toContain('value="12,5"')
  expect((await grant('12.5'))[0]).toBe(303)
  expect(await grant('12.5')).toEqual([400, expect.stringContaining('changed after this form')])
  expect(await available()).toBeCloseTo(before + 12.5, 6)
  expect(await checkInvariants(world.db.database)).toEqual([])
})

test('an operator makes an account; its password is shown once and signs its owner in', async () => {
  const taken = await (await send('/operator/accounts', { email: customer.email, plan: 'basic' })).text()
  expect(taken).toMatch(/role="alert">An account for .* exists already/)
  const made = await (await send('/operator/accounts', { email: 'dov@example.org', plan: 'basic' })).text()
  const password = /id="password">(\w{20})</.exec(made)?.[1] ?? ''
  const path = /href="(\/operator\/accounts\/acct_\w+)"/.exec(made)?.[1] ?? ''
  expect(await pageOf(path)).not.toContain(password)
  const fresh = openVisitor(world.service)
  expect((await fresh.post('/signin', { email: 'dov@example.org', password })).status).toBe(303)
  expect((await fresh.get('/operator')).status).toBe(404)
})

test('accounts come in pages, by address and by plan', async () => {
  await world.rows(
    `insert into accounts (id, email, plan, password_hash)
     select 'acct_many' || n, 'many-' || lpad(n::text, 3, '0') || '@example.org', 'unlimited', '' from generate_series(1, 60) n`,
  )
  const first = await pageOf('/operator?plan=unlimited')
  expect(rowsIn(first, 'Accounts')).toHaveLength(50)
  const more = /href="([^"]*)"[^>]*>More accounts</.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const last = rowsIn(await pageOf(more), 'Accounts')
  expect(last).toHaveLength(10)
  expect(last.at(-1)).toContain('many-060@example.org')
  expect((await operator.get('/operator?q=%00')).status).toBe(400)
  expect((await operator.get('/operator/accounts/%00')).status).toBe(404)
})

test('an operator is told in words why a turn was charged, and what to do with an unknown id', async () => {
  const id = (await ask()).headers.get('x-service-run-id')
  const told = wordsIn((await pageOf(`/operator/runs?run=${id}`)).split('<main')[1] ?? '')
  expect(told).toMatch(/Admitted 20.*for API key.*Charged [\d.]+ credits/)
  expect(told).not.toContain('What of the lamp?')
  expect(await pageOf('/operator/runs?run=run_unknown')).toContain('There is no such run')
})

test('health lists the turns that failed, and which ledger check fails', async () => {
  const verdict = async (query = '') =>
    wordsIn(
      /<main[\s\S]*?<(?:p|div) class="notice[^>]*>([\s\S]*?)<\//.exec(
        await pageOf(`/operator/health${query}`),
      )?.[1] ?? '',
    )
  const deaf = { baseUrl: 'http://127.0.0.1:9/v1', name: 'nobody', apiKey: undefined }
  const failing = await world.start({ model: deaf })
  expect((await ask(failing)).status).toBe(502)
  await failing.stop()
  const [failure, ...others] = rowsIn(await pageOf('/operator/health'), 'Failures')
  expect(others).toEqual([])
  expect(failure).toContain('upstream_failed')
  expect(failure).toContain(`href="${ofCustomer()}"`)
  expect(await verdict('?check=money')).toMatch(/^The service is well\. Last check: (\d+) of \1 passed/)
  const change = (by: number) =>
    world.rows(
      `update runs set cost_micros = cost_micros + $1 where id = (select id from runs where status = 'completed' order by id limit 1)`,
      by,
    )
  await change(1)
  expect(await pageOf('/operator/health?check=money')).toContain('>a run costs what the ledger charged</h3>')
  expect(await verdict('?check=money')).toMatch(/^Needs attention: Ledger checks\. Last check: \d+ of/)
  await change(-1)
})

test.skipIf(isShort)(
  'health shows the last check of each model, with remedies, in the language of the reader',
  async () => {
    expect(await pageOf('/operator/health')).toContain('No model was checked yet')
    const upstream = await startScriptedUpstream()
    upstream.setDefault(obedientModel('drops the marks', 128_000))
    await runLine(world.db, ['models', 'check'], { MODEL_BASE_URL: upstream.baseUrl, MODEL_NAME: 'scripted' })
    await upstream.close()
    const page = await pageOf('/operator/health')
    expect(wordsIn(page)).toContain('22 ok, 0 adapted, 1 failed, 1 skipped')
    expect(rowsIn(page, 'What the check of service found').map(wordsIn)).toEqual([
      expect.stringMatching(/marks.*larger model/),
    ])
    operator.cookies.set('language', 'he')
    expect(await pageOf('/operator/health')).toContain('התשובה אינה מציינת את הקטעים שקיבלה')
    operator.cookies.delete('language')
  },
)

test('the library page lists versions and licences, faults, and how to import', async () => {
  const page = await pageOf('/operator/library')
  const versions = rowsIn(page, 'Works and versions')
  expect(versions).toHaveLength(5)
  expect(versions.join()).toContain('CC-BY-SA')
  expect(page).toContain('sources import jsonl texts.jsonl')
  const count = (by: number) =>
    world.rows(`update versions set doc_count = doc_count + $1 where title = 'Another translation'`, by)
  expect(await pageOf('/operator/library?check=now')).toContain('No faults found')
  await count(1)
  expect(await pageOf('/operator/library?check=now')).toMatch(/role="alert">[^<]*rules? broken/)
  await count(-1)
})
