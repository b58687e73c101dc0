import { generateSync } from 'otplib'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openProviders } from '../../../src/accounts/providers/providers.ts'
import { type Mailer, openMailer } from '../../../src/mail/mailer.ts'
import { hasBrowser, openWindow, signInBy } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import {
  clientId,
  clientSecret,
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/identity-provider.ts'
import { linkIn, type Mailbox, openMailbox } from '../../support/mailbox.ts'
import { goodPassword, signedUp } from '../../support/visitor.ts'
import { call, question } from '../../support/world/requests.ts'
import type { TestService } from '../../support/world/service.ts'
import { type BrowserWorld, useWorld } from '../../support/world/world.ts'
import { faultsInLooks, watchShifts } from './every-look.ts'
import { everyLook } from './looks.ts'
import { inAllLooks } from './quality.ts'
import { screenshot } from './screenshots.ts'

const world = useWorld({ browser: true, model: 'built-in', web: { signUpPlan: 'basic' } })

describe.skipIf(!hasBrowser)('signing in and keys, in a browser', () => {
  const password = 'four unrelated words here'

  let { service, browser } = {} as BrowserWorld

  beforeAll(async () => {
    ;({ service, browser } = world)
  })

  test('a new person makes an account and a key, uses it, and revokes it', async () => {
    const window = await openWindow(browser, service)
    const page = await window.newPage()
    await page.goto('/signup')
    await page.getByLabel('E-mail address').fill('rivka@example.org')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.goto('/settings/keys')
    await page.getByRole('link', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('<b>Website</b> אתר')
    await page.getByRole('button', { name: 'Create key' }).click()
    const secret = (await page.locator('#secret').textContent()) ?? ''
    expect(secret).toMatch(/^svc_\w{49}$/)
    expect((await call(service, secret, 'GET', '/v1/key')).status).toBe(200)
    expect(await inAllLooks(page, 'key-made')).toEqual([])

    await page.reload()
    expect(page.url()).toContain('/settings/keys?done=made')
    expect(await page.content()).not.toContain(secret)
    expect(await page.locator('tbody th bdi').textContent()).toBe('<b>Website</b> אתר')
    await screenshot(page, 'keys')
    expect(await page.locator('tbody tr').count()).toBe(1)

    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('button', { name: 'Yes, revoke it' }).click()
    await page.getByText('The key has been revoked').waitFor()
    expect((await call(service, secret, 'POST', '/v1/chat/completions', question('hello'))).status).toBe(401)
    await window.close()
  })

  test.skipIf(isShort)(
    'a key is replaced by one with the same access, and the old one is revoked after it',
    async () => {
      const window = await openWindow(browser, service)
      const page = await window.newPage()
      await signInBy(page, 'rivka@example.org', password)
      await page.goto('/settings/keys/new')
      await page.getByLabel('Name').fill('Server')
      await page.getByLabel('files:write').uncheck()
      await page.getByRole('button', { name: 'Create key' }).click()
      const old = (await page.locator('#secret').textContent()) ?? ''
      await page.goto('/settings/keys')
      await page.getByRole('row', { name: 'Server' }).getByRole('link', { name: 'Replace' }).click()
      expect(await page.getByLabel('Name').inputValue()).toBe('Server')
      expect(await page.getByLabel('files:write').isChecked()).toBe(false)
      await page.getByRole('button', { name: 'Create key' }).click()
      const fresh = (await page.locator('#secret').textContent()) ?? ''
      expect(fresh).not.toBe(old)
      expect((await call(service, old, 'GET', '/v1/key')).status).toBe(200)
      const card = page.locator('section.card').last()
      expect(await card.getByRole('heading').textContent()).toBe('The replaced key')
      expect(await card.textContent()).toContain(old.slice(-4))
      await page.goto('/settings/keys')
      const row = page.locator('tbody tr').last()
      expect(await row.locator('.badge').allTextContents()).toEqual(['active', 'replaced'])
      await row.getByRole('button', { name: 'Revoke' }).click()
      expect(await page.locator('dialog[open] code').textContent()).toMatch(new RegExp(`…${old.slice(-4)}$`))
      await page.getByRole('button', { name: 'Yes, revoke it' }).click()
      await page.getByText('The key has been revoked').waitFor()
      expect((await call(service, old, 'GET', '/v1/key')).status).toBe(401)
      expect((await call(service, fresh, 'GET', '/v1/key')).status).toBe(200)
      await window.close()
    },
  )
})

describe.skipIf(!hasBrowser)('the second factor, in a browser', () => {
  test.skipIf(isShort)('a person sets up an app and signs in with it, each page in every look', async () => {
    const email = 'factor@example.org'
    await signedUp(world.service, email)
    const window = await openWindow(world.browser, world.service)
    const page = await window.newPage()
    const signIn = async () => {
      await page.goto('/signin')
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill(goodPassword)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await signIn()
    await page.waitForURL(/\/ask/)
    await page.goto('/settings/account')
    await page.getByRole('link', { name: 'Set up or change' }).click()
    const password = page.getByLabel('Current password').first()
    await password.waitFor()
    await password.fill(goodPassword)
    await page.getByRole('button', { name: 'Continue' }).click()
    const secret = ((await page.locator('#secret').textContent()) ?? '').replaceAll(' ', '')
    expect(await inAllLooks(page, 'second-factor-app')).toEqual([])
    await page.getByLabel('Code from the app').fill(generateSync({ secret }))
    await page.getByRole('button', { name: 'Turn on' }).click()
    const [recoveryCode = ''] = ((await page.locator('#codes').textContent()) ?? '').split('\n')
    expect(await inAllLooks(page, 'recovery-codes')).toEqual([])
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await page.getByText('10 unused recovery codes').waitFor()

    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn()
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
    expect(await inAllLooks(page, 'second-step')).toEqual([])
    await page.getByLabel('Code from the app, or a recovery code').fill('000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Code from the app, or a recovery code').fill(recoveryCode)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/ask/)
    await window.close()
  })
})

describe.skipIf(!hasBrowser)('signing in by a provider, in a browser', () => {
  let service: TestService
  let idp: IdentityProvider

  beforeAll(async () => {
    idp = await startIdentityProvider()
    const rules = {
      ...({ allowedDomains: undefined, createAccounts: 'as_signup', trustEmail: false } as const),
      ...{ operators: undefined, plans: undefined },
    }
    const row = { clientId, clientSecret, rules, scopes: ['openid', 'email'] }
    const providers = openProviders([
      { ...row, id: 'school', label: 'School', issuer: idp.issuer },
      { ...row, id: 'down', label: 'קהילה', issuer: 'http://127.0.0.1:9' },
    ])
    service = await world.start({ web: { providers } })
    idp.serve([`${service.url}/signin/with/school/callback`])
  })
  afterAll(() => idp?.close())

  test.skipIf(isShort)(
    'a person signs in at the provider and comes back, each page in every look',
    async () => {
      idp.people.set('rivka', { email: 'rivka@school.example', email_verified: true })
      const window = await openWindow(world.browser, service)
      await watchShifts(window)
      const page = await window.newPage()
      expect(await faultsInLooks(page, '/signin', everyLook, { name: 'providers' })).toEqual([])
      await window.clearCookies()
      await page.goto('/signin?next=%2Fusage')
      await page.getByRole('button', { name: 'Sign in with קהילה' }).click()
      await page.getByRole('alert').waitFor()
      expect(await inAllLooks(page, 'provider-down')).toEqual([])
      await page.goto('/signin?next=%2Fusage')
      await page.getByRole('button', { name: 'Sign in with School' }).click()
      await page.waitForURL((url) => url.origin === idp.issuer)
      await page.locator('input[name=login]').fill('rivka')
      await page.locator('input[name=password]').fill('any')
      await page.locator('button[type=submit]').click()
      await page.locator('button[type=submit][autofocus]').click()
      await page.waitForURL(/\/usage/)
      expect(
        await faultsInLooks(page, '/settings/account', everyLook, { name: 'account-by-provider' }),
      ).toEqual([])
      await window.close()
    },
  )

  test('without scripts, too, the page goes on to the provider', async () => {
    const window = await openWindow(world.browser, service, { scripts: false })
    const page = await window.newPage()
    await page.goto('/signin')
    await page.getByRole('button', { name: 'Sign in with School' }).click()
    await page.waitForURL((url) => url.origin === idp.issuer)
    await window.close()
  })
})

describe.skipIf(!hasBrowser)('accounts with mail, in a browser', () => {
  let service: TestService
  let mailbox: Mailbox
  let mailer: Mailer

  beforeAll(async () => {
    mailbox = await openMailbox()
    const settings = { from: 'lamps@example.org', appUrl: 'https://lamps.example', product: 'Lamps' }
    mailer = await openMailer({ ...settings, smtpUrl: mailbox.url }, pino({ level: 'silent' }))
    service = await world.start({ web: { mailer } })
  })
  afterAll(async () => {
    await mailer?.close()
    await mailbox?.close()
  })

  test.skipIf(isShort)(
    'a visitor signs up by the letter, forgets the password and changes the address, each page in every look',
    async () => {
      const email = 'person@example.org'
      const page = await (await openWindow(world.browser, service)).newPage()
      await page.goto('/signup')
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill(goodPassword)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
      expect(await inAllLooks(page, 'check-mail')).toEqual([])
      const link = linkIn(await mailbox.take(email))
      await page.goto(link)
      expect(await inAllLooks(page, 'confirm')).toEqual([])
      await page.getByRole('button', { name: 'Confirm' }).click()
      await page.waitForURL(/\/ask/)

      await page.goto('/settings/account')
      await page.getByLabel('New e-mail address').fill('other@example.org')
      await page.getByLabel('Current password').nth(1).fill('wrong')
      await page.getByRole('button', { name: 'Send the link' }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.getByLabel('New e-mail address').inputValue()).toBe('other@example.org')

      const stranger = await (await openWindow(world.browser, service)).newPage()
      await stranger.goto('/signin')
      await stranger.getByRole('link', { name: 'Forgot your password?' }).click()
      expect(await inAllLooks(stranger, 'forgot-password')).toEqual([])
      await stranger.goto(link)
      expect(await stranger.getByRole('alert').textContent()).toContain('This link does not work')
    },
  )
})
