import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow, signInBy } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { call, question } from '../../support/world/requests.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { inAllLooks, inMoreLooks } from './quality.ts'
import { screenshot } from './screenshots.ts'

describe.skipIf(!hasBrowser)('signing in and keys, in a browser', () => {
  const password = 'four unrelated words here'

  let world: BrowserWorld
  let { service, browser } = {} as BrowserWorld

  beforeAll(async () => {
    world = await openWorld({
      browser: true,
      model: 'built-in',
      web: { signUpPlan: 'basic' },
    })
    ;({ service, browser } = world)
  })
  afterAll(() => world?.close())

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
      expect(await inMoreLooks(page, 'keys-replaced')).toEqual([])
      await row.getByRole('button', { name: 'Revoke' }).click()
      expect(await page.locator('dialog[open] code').textContent()).toMatch(new RegExp(`…${old.slice(-4)}$`))
      expect(await inMoreLooks(page, 'keys-revoke')).toEqual([])
      await page.getByRole('button', { name: 'Yes, revoke it' }).click()
      await page.getByText('The key has been revoked').waitFor()
      expect((await call(service, old, 'GET', '/v1/key')).status).toBe(401)
      expect((await call(service, fresh, 'GET', '/v1/key')).status).toBe(200)
      await window.close()
    },
  )

  test.skipIf(isShort)('a list of keys is narrowed by name and by status', async () => {
    const window = await openWindow(browser, service)
    const page = await window.newPage()
    await signInBy(page, 'rivka@example.org', password)
    await page.goto('/settings/keys?q=serv&state=active')
    expect(await page.locator('tbody th bdi').allTextContents()).toEqual(['Server'])
    await page.getByLabel('Status').selectOption('Any')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(/state=$/)
    expect(await page.locator('tbody th bdi').allTextContents()).toEqual(['Server', 'Server'])
    await page.getByLabel('Name').fill('none like this')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByText('No matching keys').waitFor()
    await window.close()
  })

  test('signing out ends the session also for a cookie that was kept', async () => {
    const window = await openWindow(browser, service)
    const page = await window.newPage()
    await signInBy(page, 'rivka@example.org', password)
    const cookies = await window.cookies()
    expect(cookies.filter(({ name }) => name !== 'zone')).toMatchObject([
      { name: 'session', httpOnly: true, sameSite: 'Lax' },
      { name: 'known', httpOnly: true, sameSite: 'Lax' },
    ])
    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out').waitFor()
    await window.addCookies(cookies)
    await page.goto('/settings/keys')
    expect(new URL(page.url()).pathname).toBe('/signin')
    await window.close()
  })
})
