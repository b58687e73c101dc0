import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openProviders } from '../../../src/accounts/providers/providers.ts'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import {
  clientId,
  clientSecret,
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/identity-provider.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { faultsInLooks, watchShifts } from './every-look.ts'
import { everyLook } from './looks.ts'
import { inAllLooks } from './quality.ts'

describe.skipIf(!hasBrowser)('signing in by a provider, in a browser', () => {
  let world: BrowserWorld
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
    world = await openWorld({ browser: true, model: 'built-in', web: { providers } })
    idp.serve([`${world.service.url}/signin/with/school/callback`])
  })
  afterAll(async () => {
    await world?.close()
    await idp?.close()
  })

  test.skipIf(isShort)(
    'a person signs in at the provider and comes back, each page in every look',
    async () => {
      idp.people.set('rivka', { email: 'rivka@school.example', email_verified: true })
      const window = await openWindow(world.browser, world.service)
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
    const window = await openWindow(world.browser, world.service, { scripts: false })
    const page = await window.newPage()
    await page.goto('/signin')
    await page.getByRole('button', { name: 'Sign in with School' }).click()
    await page.waitForURL((url) => url.origin === idp.issuer)
    await window.close()
  })
})
