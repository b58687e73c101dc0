import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { useWorld } from '../../support/world/world.ts'
import { faultsInLooks } from './every-look.ts'
import { everyLook } from './looks.ts'

describe.skipIf(!hasBrowser)('members of an account', () => {
  let owner: { readonly page: Page; readonly email: string }
  let guest: Page

  const world = useWorld({ browser: true, script: [{ text: 'An answer.' }] })
  beforeAll(async () => {
    owner = await world.person()
    await world.rows(`update accounts set plan = 'pro'`)
    guest = await (await openWindow(world.browser, world.service)).newPage()
  })

  async function invite(email: string, role: string): Promise<string> {
    const { page } = owner
    await page.goto('/settings/members')
    await page.getByLabel('E-mail address (optional)').fill(email)
    await page.locator(`form[action$="/invite"] input[value="${role}"]`).check()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await page.locator('#invitation').textContent()
    return new URL(link ?? '').pathname
  }

  test('a guest signs up by a link, asks for the account, switches, and as a viewer only reads', async () => {
    const link = await invite('guest@example.org', 'member')
    await guest.goto(link)
    await guest.getByLabel('Password').fill('four unrelated words here')
    await guest.getByRole('button', { name: 'Create account and accept' }).click()
    await guest.getByText('You are a member now').waitFor()
    expect(await guest.locator('.acting').textContent()).toContain(`Acting for ${owner.email}`)

    await guest.goto('/ask')
    await guest.locator('#question').fill('Who was the Maggid?')
    await guest.locator('#question').press('Enter')
    await guest.getByText('An answer.').first().waitFor()
    const conversation = new URL(guest.url()).pathname
    await owner.page.goto(conversation)
    await owner.page.getByText('An answer.').first().waitFor()

    await owner.page.goto('/usage')
    await owner.page.getByRole('heading', { name: 'By member' }).waitFor()

    await guest.goto('/settings/members')
    const own = guest.getByRole('row', { name: /guest@example.org.*Your own account/ })
    await own.getByRole('button', { name: 'Switch to it' }).click()
    await guest.getByText('You act for this account now.').first().waitFor()
    expect(await guest.locator('.acting').count()).toBe(0)
    expect((await guest.goto(conversation))?.status()).toBe(404)

    await guest.goto('/settings/members')
    const shared = guest.locator('#accounts').getByRole('row', { name: owner.email })
    await shared.getByRole('button', { name: 'Switch to it' }).click()
    await guest.locator('.acting').waitFor()

    await owner.page.goto('/settings/members')
    await owner.page.getByLabel('Role of guest@example.org').selectOption('viewer')
    await owner.page.getByRole('button', { name: 'Change', exact: true }).click()
    await owner.page.getByText('The role has been changed.').waitFor()
    expect((await guest.goto(conversation))?.status()).toBe(200)
    await guest.getByText('An answer.').first().waitFor()
    expect(await guest.locator('.composer').count()).toBe(0)
    expect(await guest.locator('main form[method=post]:visible').count()).toBe(0)
  })

  test.skipIf(isShort)('the pages of members are readable, and fit a phone', async () => {
    const link = await invite('other@example.org', 'admin')
    await invite('', 'viewer')
    const stranger = await (await openWindow(world.browser, world.service)).newPage()
    expect(await faultsInLooks(stranger, link, everyLook, { name: 'invitation' })).toEqual([])
    expect(await faultsInLooks(owner.page, '/settings/members', everyLook)).toEqual([])
    expect(await faultsInLooks(guest, '/settings/members', everyLook, { name: 'members-viewer' })).toEqual([])
    expect(await faultsInLooks(guest, '/ask', everyLook, { name: 'ask-viewer' })).toEqual([])
  })

  test.skipIf(isShort)('an invitation link is shown once, and fits a phone', async () => {
    const open = async () => {
      await owner.page.locator('form[action$="/invite"] button').click()
      await owner.page.locator('#invitation').waitFor()
    }
    const options = { open, name: 'invitation-link' }
    expect(await faultsInLooks(owner.page, '/settings/members', everyLook, options)).toEqual([])
  })
})
