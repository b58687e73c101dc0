import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, createAccount } from '../../../src/accounts/accounts.ts'
import { builtInPlans } from '../../../src/accounts/plans.ts'
import { withTx } from '../../../src/db/client.ts'
import { obedientModel } from '../../models/obedient-model.ts'
import { hasBrowser, openWindow, signInBy } from '../../support/browser.ts'
import { runLine } from '../../support/command-line.ts'
import { isShort } from '../../support/full.ts'
import { checkInvariants } from '../../support/invariants.ts'
import { startScriptedUpstream } from '../../support/scripted-upstream.ts'
import { makeAccount, makeKey } from '../../support/world/accounts.ts'
import { call, question } from '../../support/world/requests.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { importOwnTexts } from './own-texts.ts'
import { inAllLooks, inMoreLooks, weightOf } from './quality.ts'

const password = 'correct horse battery'

describe.skipIf(!hasBrowser)('operator pages, in a browser', () => {
  let world: BrowserWorld
  let { db, service, browser } = {} as BrowserWorld
  let page: Page
  let customer: Account
  let key: string

  beforeAll(async () => {
    world = await openWorld({ browser: true, model: 'built-in' })
    ;({ db, service, browser } = world)
    await importOwnTexts(db.database)
    const operator = await withTx(db.database, 'system', (tx) =>
      createAccount(tx, builtInPlans, { email: 'ops@example.org', plan: 'pro', password, operator: true }),
    )
    customer = await makeAccount(db.database, 'free')
    key = await makeKey(db.database, customer.id)
    page = await (await openWindow(browser, service)).newPage()
    await signInBy(page, operator.email, password)
  })
  afterAll(() => world?.close())

  /** Waits for the end of the reply: on a busy machine its status comes long before it, and before the charge. */
  async function ask(): Promise<Response> {
    const reply = await call(service, key, 'POST', '/v1/chat/completions', question('What of the lamp?'))
    await reply.text()
    return reply
  }

  async function available(): Promise<string> {
    const reply = await call(service, key, 'GET', '/v1/key')
    return ((await reply.json()) as { credits: { available: string } }).credits.available
  }

  test('operator pages answer everybody else like a missing page', async () => {
    const window = await openWindow(browser, service)
    const other = await window.newPage()
    await signInBy(other, customer.email, password)
    await other.getByRole('button', { name: 'Account menu' }).click()
    expect(await other.getByRole('link', { name: 'Operator' }).count()).toBe(0)
    const body = async (path: string) => {
      const reply = await window.request.get(path, { headers: { accept: 'text/html' } })
      expect(reply.status()).toBe(404)
      return (await reply.text()).replaceAll(/req_\w+|nonce="[^"]*"/g, '')
    }
    const missing = await body('/no-such-page')
    for (const path of ['', '/audit', '/library', '/health', '/accounts/new', `/accounts/${customer.id}`]) {
      expect(await body(`/operator${path}`)).toBe(missing)
    }
    const form = { plan: 'unlimited' }
    const origin = { 'sec-fetch-site': 'same-origin' }
    const post = await window.request.post(`/operator/accounts/${customer.id}/plan`, {
      form,
      headers: origin,
    })
    expect(post.status()).toBe(404)
    expect((await ask()).status).toBe(403)
    await window.close()
  })

  test("an operator raises an account's plan, and its refused key works", async () => {
    expect((await ask()).status).toBe(403)
    await page.goto('/operator')
    await page.getByLabel('E-mail address').fill(customer.email.slice(0, -12))
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('link', { name: customer.email }).click()
    await page.getByRole('combobox', { name: 'Plan' }).selectOption('basic')
    await page.getByRole('button', { name: 'Change the plan' }).click()
    await page.getByText('The plan has been changed').waitFor()
    expect((await ask()).status).toBe(200)
    // What the month's allowance of the lower plan was short of has come on top.
    expect(Number(await available())).toBeGreaterThan(990)
  })

  test('the list of accounts tells what each has spent and when it was last used', async () => {
    await page.goto('/operator')
    const row = (email: string) => page.getByRole('row').filter({ hasText: email })
    expect(await row('ops@example.org').getByText('never').count()).toBe(1)
    const used = row(customer.email)
    expect(await used.getByText('never').count()).toBe(0)
    expect(Number(await used.locator('td.number').last().textContent())).toBeGreaterThan(0)
    expect(await inMoreLooks(page, 'operator-accounts')).toEqual([])
  })

  test("times are in the reader's zone, with the time in UTC as their tooltip", async () => {
    const zone = 'Pacific/Kiritimati'
    const window = await browser.newContext({ baseURL: service.url, timezoneId: zone, locale: 'en-GB' })
    const far = await window.newPage()
    await signInBy(far, 'ops@example.org', password)
    await far.goto('/operator/audit')
    const time = far.locator('td time').first()
    const at = new Date((await time.getAttribute('datetime')) ?? '')
    const text = (timeZone: string) =>
      new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at)
    expect(await time.textContent()).toBe(text(zone))
    expect(await time.getAttribute('title')).toBe(`${text('UTC')} UTC`)
    await window.close()
  })

  test('a form of another site changes nothing, although the browser is signed in', async () => {
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://example.org' }]) {
      const form = { plan: 'unlimited' }
      const post = await page.request.post(`/operator/accounts/${customer.id}/plan`, { form, headers })
      expect(post.status()).toBe(403)
    }
    await page.goto(`/operator/accounts/${customer.id}`)
    expect(await page.getByRole('combobox', { name: 'Plan' }).inputValue()).toBe('basic')
  })

  test('credits are granted once, however often the form is sent', async () => {
    await page.goto(`/operator/accounts/${customer.id}`)
    const before = Number(await available())
    const seen = await page.locator('form[action$="/grant"] input[name="seen"]').inputValue()
    await page.getByLabel('Credits', { exact: true }).fill('12,5')
    await page.getByRole('button', { name: 'Grant credits' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('a number above zero')
    expect(await page.getByLabel('Credits', { exact: true }).inputValue()).toBe('12,5')
    await page.getByLabel('Credits', { exact: true }).fill('12.5')
    await page.getByRole('button', { name: 'Grant credits' }).click()
    await page.getByText('The credits have been granted').waitFor()
    expect(Number(await available())).toBeCloseTo(before + 12.5, 6)
    const again = await page.request.post(`/operator/accounts/${customer.id}/grant`, {
      form: { amount: '12.5', seen },
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect(again.status()).toBe(400)
    expect(await again.text()).toContain('changed after this form')
    expect(Number(await available())).toBeCloseTo(before + 12.5, 6)
    expect(await checkInvariants(db.database)).toEqual([])
  })

  test('an operator makes an account; its password is shown once and signs its owner in', async () => {
    await page.goto('/operator/accounts/new')
    await page.getByLabel('E-mail address').fill('Dov <dov@example.org')
    expect(await inMoreLooks(page, 'operator-new')).toEqual([])
    await page.getByLabel('E-mail address').fill(customer.email)
    await page.getByRole('button', { name: 'Create account' }).click()
    expect(await page.getByRole('alert').textContent()).toMatch(/^An account for .* exists already/)
    await page.getByLabel('E-mail address').fill('dov@example.org')
    await page.getByRole('combobox', { name: 'Plan' }).selectOption('basic')
    await page.getByRole('button', { name: 'Create account' }).click()
    const secret = (await page.locator('#password').textContent()) ?? ''
    expect(secret).toMatch(/^\w{20}$/)
    await page.getByRole('link', { name: 'Go to the account' }).click()
    expect(await page.content()).not.toContain(secret)
    const fresh = await (await openWindow(browser, service)).newPage()
    await signInBy(fresh, 'dov@example.org', secret)
    expect((await fresh.goto('/operator'))?.status()).toBe(404)
  })

  test.skipIf(isShort)('accounts come in pages, by address and by plan', async () => {
    await db.database.systemPool.query(
      `insert into accounts (id, email, plan, password_hash)
       select 'acct_many' || n, 'many-' || lpad(n::text, 3, '0') || '@example.org', 'unlimited', '' from generate_series(1, 60) n`,
    )
    await page.goto('/operator?plan=unlimited')
    const rows = page.getByRole('region', { name: 'Accounts' }).locator('tbody tr')
    expect(await rows.count()).toBe(50)
    await page.getByRole('link', { name: 'More accounts' }).click()
    await page.getByRole('link', { name: 'many-060@example.org' }).waitFor()
    expect(await rows.count()).toBe(10)
    expect((await page.goto('/operator?q=%00'))?.status()).toBe(400)
    expect((await page.goto('/operator/accounts/%00'))?.status()).toBe(404)
  })

  test.skipIf(isShort)(
    'an operator is told in words why one turn was charged, and what to do with an id that is unknown',
    async () => {
      const answer = await ask()
      await page.goto('/operator/runs')
      await page.getByLabel('Id of the run').fill(answer.headers.get('x-service-run-id') ?? '')
      await page.getByRole('button', { name: 'Explain' }).click()
      const told = await page.locator('main ol').textContent()
      expect(told).toMatch(/Admitted 20.*for API key/)
      expect(told).toMatch(/Charged [\d.]+ credits/)
      expect(await page.locator('main').textContent()).not.toContain('What of the lamp?')
      await page.goto('/operator/runs?run=run_unknown')
      expect(await page.locator('main').textContent()).toContain('There is no such run')
    },
  )

  test.skipIf(isShort)(
    'an operator resets, suspends, resumes and deletes an account, with audit entries',
    async () => {
      const account = await makeAccount(db.database, 'basic')
      await page.goto(`/operator/accounts/${account.id}`)
      await page.getByRole('button', { name: 'Create a password reset link' }).click()
      const link = (await page.locator('#link').textContent()) ?? ''
      expect(await inAllLooks(page, 'operator-reset-link')).toEqual([])
      const owner = await (await openWindow(browser, service)).newPage()
      await owner.goto(link)
      expect(await inAllLooks(owner, 'reset-password')).toEqual([])
      await owner.getByLabel('New password').fill('password')
      await owner.getByRole('button', { name: 'Set the password' }).click()
      expect(await owner.getByRole('alert').textContent()).toContain('Too easy to guess')
      await owner.getByLabel('New password').fill('new words for this account')
      await owner.getByRole('button', { name: 'Set the password' }).click()
      await owner.getByText('The new password has been set').waitFor()
      await signInBy(owner, account.email, 'new words for this account')
      await owner.goto(link)
      expect(await owner.getByRole('alert').textContent()).toContain('This link does not work')
      expect(await inMoreLooks(owner, 'reset-password-used')).toEqual([])

      await page.getByRole('link', { name: 'Go to the account' }).click()
      await page.getByText('Suspend the account…').click()
      expect(await inMoreLooks(page, 'operator-suspend')).toEqual([])
      await page.getByRole('button', { name: 'Suspend the account', exact: true }).click()
      await page.getByText('The account has been suspended').waitFor()
      expect(await inMoreLooks(page, 'operator-suspended')).toEqual([])
      await owner.goto('/projects')
      await owner.getByLabel('E-mail address').fill(account.email)
      await owner.getByLabel('Password').fill('new words for this account')
      await owner.getByRole('button', { name: 'Sign in' }).click()
      expect(await owner.getByRole('alert').textContent()).toContain('This account is suspended')
      await page.getByRole('button', { name: 'Resume the account' }).click()
      await page.getByText('The account has been resumed').waitFor()

      await page.getByText('Delete the account…').click()
      await page.getByLabel('Enter the e-mail address').fill('other@example.org')
      await page.getByRole('button', { name: 'Delete everything' }).click()
      expect(await page.getByRole('alert').textContent()).toContain('Nothing was deleted')
      await page.getByText('Delete the account…').click()
      await page.getByLabel('Enter the e-mail address').fill(account.email)
      expect(await inMoreLooks(page, 'operator-delete')).toEqual([])
      await page.getByRole('button', { name: 'Delete everything' }).click()
      await page.getByText('The account has been deleted').waitFor()
      await page.getByRole('link', { name: 'Audit log' }).click()
      const rows = page.getByRole('region', { name: 'Audit log' }).locator('tbody tr')
      expect(await rows.first().textContent()).toContain('Account deleted')
      expect(await inMoreLooks(page, 'operator-audit')).toEqual([])
    },
  )

  test.skipIf(isShort)(
    'health shows the last check of each model, with remedies, in both languages',
    async () => {
      await page.goto('/operator/health?check=money')
      await page.getByText('The service is well. Last check: ').waitFor()
      await page.getByText('No model was checked yet').waitFor()
      const upstream = await startScriptedUpstream()
      upstream.setDefault(obedientModel('drops the marks', 128_000))
      const env = { MODEL_BASE_URL: upstream.baseUrl, MODEL_NAME: 'scripted' }
      await runLine(db, ['models', 'check'], env)
      await upstream.close()
      await page.reload()
      const found = page.getByRole('region', { name: 'What the check of service found' })
      await page.getByText('22 ok, 0 adapted, 1 failed, 1 skipped').waitFor()
      expect(await found.locator('tbody tr').allTextContents()).toEqual([
        expect.stringMatching(/marks.*larger model/s),
      ])
      expect(await inMoreLooks(page, 'operator-models')).toEqual([])
      await page.context().addCookies([{ name: 'language', value: 'he', url: service.url }])
      await page.reload()
      await page.getByText('התשובה אינה מציינת את הקטעים שקיבלה').waitFor()
      expect(await inMoreLooks(page, 'operator-models-he')).toEqual([])
      await page.context().clearCookies({ name: 'language' })
    },
  )

  test.skipIf(isShort)('health lists the turns that failed, and which ledger check fails', async () => {
    const deaf = { baseUrl: 'http://127.0.0.1:9/v1', name: 'nobody', apiKey: undefined }
    const failing = await world.start({ model: deaf })
    expect(
      (await call(failing, key, 'POST', '/v1/chat/completions', question('Is anybody there?'))).status,
    ).toBe(502)
    await failing.stop()
    await page.goto('/operator/health')
    const failure = page.getByRole('region', { name: 'Failures' }).locator('tbody tr')
    expect(await failure.count()).toBe(1)
    expect(await failure.textContent()).toContain('upstream_failed')
    expect(await failure.getByRole('link').getAttribute('href')).toBe(`/operator/accounts/${customer.id}`)
    await page.getByRole('link', { name: 'Run the checks now' }).click()
    const verdict = page.locator('main .notice').first()
    // The model that the test before this one checked is not good enough.
    await verdict.filter({ hasText: /^Needs attention: Models\. Last check: (\d+) of \1 passed/ }).waitFor()
    const change = (by: number) =>
      db.database.systemPool.query(
        `update runs set cost_micros = cost_micros + $1 where id = (select id from runs where status = 'completed' order by id limit 1)`,
        [by],
      )
    await change(1)
    await page.reload()
    expect(await page.getByRole('heading', { name: 'a run costs what the ledger charged' }).count()).toBe(1)
    expect(await verdict.textContent()).toMatch(
      /^Needs attention: Ledger checks, Models\. Last check: \d+ of/,
    )
    expect(await inMoreLooks(page, 'operator-health')).toEqual([])
    await change(-1)
    await page.reload()
    await verdict.filter({ hasText: 'Needs attention: Models.' }).waitFor()
  })

  test.skipIf(isShort)(
    'the library page lists versions and licences, faults, and how to import',
    async () => {
      await page.goto('/operator/library')
      const table = page.getByRole('region', { name: 'Works and versions' })
      expect(await table.locator('tbody tr').count()).toBe(5)
      expect(await table.textContent()).toContain('CC-BY-SA')
      expect(await page.getByText('sources import jsonl texts.jsonl').count()).toBe(1)
      await page.getByRole('link', { name: 'Check it now' }).click()
      await page.getByText('No faults found').waitFor()
      await db.database.systemPool.query(
        `update versions set doc_count = doc_count + 1 where title = 'Another translation'`,
      )
      await page.reload()
      expect(await page.getByRole('alert').textContent()).toContain('rules broken')
      await db.database.systemPool.query(
        `update versions set doc_count = doc_count - 1 where title = 'Another translation'`,
      )
    },
  )

  test.skipIf(isShort)('the pages are readable in every look and light', async () => {
    for (const [name, path] of [
      ['operator-accounts', '/operator'],
      ['operator-account', `/operator/accounts/${customer.id}`],
      ['operator-library', '/operator/library?check=now'],
    ] as const) {
      expect(await weightOf(page, path)).toBeLessThan(200_000)
      expect(await inAllLooks(page, name)).toEqual([])
    }
  })
})
