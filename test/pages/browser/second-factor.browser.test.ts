import { generateSync } from 'otplib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { goodPassword, signedUp } from '../../support/visitor.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { inAllLooks, inMoreLooks } from './quality.ts'

describe.skipIf(!hasBrowser)('the second factor, in a browser', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true, model: 'built-in' })
  })
  afterAll(() => world?.close())

  test.skipIf(isShort)('a person sets up an app and signs in with it, each page in every look', async () => {
    const email = 'rivka@example.org'
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
    expect(await inMoreLooks(page, 'account')).toEqual([])
    await page.getByRole('link', { name: 'Set up or change' }).click()
    const password = page.getByLabel('Current password').first()
    await password.waitFor()
    expect(await inMoreLooks(page, 'second-factor-off')).toEqual([])
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
    expect(await inMoreLooks(page, 'second-factor-on')).toEqual([])

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
