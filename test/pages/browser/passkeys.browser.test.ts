import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { goodPassword, openVisitor, signedUp } from '../../support/visitor.ts'
import { useWorld } from '../../support/world/world.ts'
import { inAllLooks } from './quality.ts'

describe.skipIf(!hasBrowser)('passkeys, in a browser with an authenticator', () => {
  const world = useWorld({ browser: true, model: 'built-in' })

  /** Passkeys need a host name. */
  const site = () => ({ ...world.service, url: world.service.url.replace('127.0.0.1', 'localhost') })

  async function openPage(): Promise<Page> {
    const window = await openWindow(world.browser, site())
    const page = await window.newPage()
    const devtools = await window.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return page
  }

  async function signIn(page: Page, email: string): Promise<void> {
    await page.goto('/signin')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(goodPassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  async function addPasskey(page: Page, name: string): Promise<void> {
    await page.goto('/settings/second-factor')
    const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Passkeys' }) })
    await card.getByLabel('Current password').fill(goodPassword)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByLabel('Name').fill(name)
  }

  test('a person adds a passkey, signs in with it and removes it, each page in every look', async () => {
    const email = 'passkey@example.org'
    await signedUp(site(), email)
    const page = await openPage()
    await signIn(page, email)
    await page.waitForURL(/\/ask/)
    await addPasskey(page, 'מפתח <b>')
    expect(await inAllLooks(page, 'passkey-new')).toEqual([])
    await page.getByRole('button', { name: 'Continue' }).click()
    const codes = ((await page.locator('#codes').textContent()) ?? '').split('\n')
    expect(codes).toHaveLength(10)
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await page.getByRole('heading', { name: 'מפתח <b>' }).waitFor()

    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, email)
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    expect(await inAllLooks(page, 'second-step-passkey')).toEqual([])
    const sent = page.waitForRequest((request) => request.url().endsWith('/signin/code'))
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL(/\/ask/)
    const answer = new URLSearchParams((await sent).postData() ?? '').get('answer') ?? ''
    expect(answer).not.toBe('')

    const thief = openVisitor(site())
    await thief.post('/signin', { email, password: goodPassword })
    for (const wrong of [answer, '{}', 'no JSON', ''])
      expect((await thief.post('/signin/code', { answer: wrong })).status).toBe(400)
    expect(thief.cookies.has('session')).toBe(false)

    await page.goto('/settings/second-factor')
    await page.getByRole('button', { name: 'Remove…' }).or(page.getByText('Remove…')).first().click()
    const item = page.locator('li').filter({ hasText: 'Remove…' })
    await item.getByLabel('Code from the app, or a recovery code').fill(codes[0] ?? '')
    await item.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('The passkey has been removed').waitFor()
    const rows = await world.rows<{ action: string }>(
      `select action from audit_log where action like 'second_factor.%' order by id`,
    )
    expect(rows.map(({ action }) => action)).toEqual([
      'second_factor.passkey_added',
      'second_factor.recovery_code_used',
      'second_factor.passkey_removed',
      'second_factor.removed',
    ])
    await page.context().close()
  })

  test.skipIf(isShort)(
    'a passkey is added only to the session whose password was checked, and in time',
    async () => {
      const email = 'registration@example.org'
      await signedUp(site(), email)
      const page = await openPage()
      await signIn(page, email)
      await page.waitForURL(/\/ask/)
      await addPasskey(page, 'Mine')
      const path = '/settings/second-factor/passkeys/confirm'
      const sent = page.waitForRequest((request) => request.url().endsWith(path))
      await page.route(`**${path}`, (route) => route.abort())
      await page.getByRole('button', { name: 'Continue' }).click()
      const fields = Object.fromEntries(new URLSearchParams((await sent).postData() ?? ''))
      const other = openVisitor(site())
      await other.post('/signin', { email, password: goodPassword })
      expect((await other.post(path, fields)).status).toBe(400)
      const own = openVisitor(site())
      for (const { name, value } of await page.context().cookies()) own.cookies.set(name, value)
      expect((await own.post(path, { ...fields, until: String(Number(fields['until']) + 60) })).status).toBe(
        400,
      )
      expect((await own.post(path, { ...fields, until: '1' })).status).toBe(400)
      expect((await own.post(path, fields)).status).toBe(200)
      expect((await own.post(path, fields)).status).toBe(400)
      await page.context().close()
    },
  )

  test.skipIf(isShort)('without an authenticator the code is still there', async () => {
    const email = 'registration@example.org'
    const page = await (await openWindow(world.browser, site(), { scripts: false })).newPage()
    await signIn(page, email)
    await page.getByLabel('Code from the app, or a recovery code').waitFor()
    expect(await page.getByRole('button', { name: 'Use a passkey' }).isVisible()).toBe(false)
    await page.context().close()
  })
})
