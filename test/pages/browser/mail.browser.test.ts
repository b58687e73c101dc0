import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Mailer, openMailer } from '../../../src/mail/mailer.ts'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { linkIn, type Mailbox, openMailbox } from '../../support/mailbox.ts'
import { goodPassword } from '../../support/visitor.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { inAllLooks, inMoreLooks } from './quality.ts'

describe.skipIf(!hasBrowser)('accounts with mail, in a browser', () => {
  let world: BrowserWorld
  let mailbox: Mailbox
  let mailer: Mailer

  beforeAll(async () => {
    mailbox = await openMailbox()
    const settings = { from: 'lamps@example.org', appUrl: 'https://lamps.example', product: 'Lamps' }
    mailer = await openMailer({ ...settings, smtpUrl: mailbox.url }, pino({ level: 'silent' }))
    world = await openWorld({ browser: true, model: 'built-in', web: { mailer } })
  })
  afterAll(async () => {
    await world?.close()
    await mailer?.close()
    await mailbox?.close()
  })

  test.skipIf(isShort)(
    'a visitor signs up by the letter, forgets the password and changes the address, each page in every look',
    async () => {
      const email = 'person@example.org'
      const page = await (await openWindow(world.browser, world.service)).newPage()
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
      expect(await inMoreLooks(page, 'change-address')).toEqual([])

      const stranger = await (await openWindow(world.browser, world.service)).newPage()
      await stranger.goto('/signin')
      await stranger.getByRole('link', { name: 'Forgot your password?' }).click()
      expect(await inAllLooks(stranger, 'forgot-password')).toEqual([])
      await stranger.goto(link)
      expect(await stranger.getByRole('alert').textContent()).toContain('This link does not work')
    },
  )
})
