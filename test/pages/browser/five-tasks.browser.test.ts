import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { reply } from '../../support/scripted-upstream.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { announced, ended } from './conversation-page.ts'
import { gateBook, readingTheGate } from './gate-book.ts'
import { hasFocus, tabTo } from './window-state.ts'

const password = 'four unrelated words here'

/** Roles and names of what can have the focus, as the browser tells them to screen readers. */
async function controls(page: Page): Promise<readonly { readonly role: string; readonly name: string }[]> {
  type Value = { readonly value?: unknown }
  type Node = { role?: Value; name?: Value; properties?: readonly { name: string; value: Value }[] }
  const session = await page.context().newCDPSession(page)
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: readonly Node[] }
  await session.detach()
  return (
    nodes
      .filter(({ properties = [] }) =>
        properties.some(({ name, value }) => name === 'focusable' && value.value),
      )
      .map(({ role, name }) => ({ role: String(role?.value), name: String(name?.value ?? '') }))
      // The target of the skip link is the one of its kind, and Tab does not stop there.
      .filter(({ role }) => role !== 'RootWebArea' && role !== 'main')
  )
}

describe.skipIf(!hasBrowser || isShort)(
  'five tasks by keyboard alone, in the tree that screen readers get',
  () => {
    let world: BrowserWorld
    let page: Page

    beforeAll(async () => {
      world = await openWorld({ browser: true, library: gateBook })
      page = await (await openWindow(world.browser, world.service)).newPage()
      await page.goto('/')
    })
    afterAll(() => world?.close())

    const press = async (target: Locator, key = 'Enter') => {
      await tabTo(page, target)
      await page.keyboard.press(key)
    }
    const type = async (label: string, text: string) => {
      await tabTo(page, page.getByLabel(label).first())
      await page.keyboard.type(text)
    }
    const link = (name: string) => page.getByRole('link', { name, exact: true }).first()
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const nameless = async () => (await controls(page)).filter(({ name }) => name.trim() === '')

    test('signing up and making a key', async () => {
      await press(link('Create a free account'))
      await type('E-mail address', 'keys@example.org')
      await type('Password', password)
      await page.keyboard.press('Enter')
      await page.waitForURL('**/ask')
      await press(button('Account menu'))
      await press(link('Settings'))
      await press(link('New key'))
      await type('Name', 'Website')
      expect(await nameless()).toEqual([])
      await press(button('Create key'))
      await page.getByRole('heading', { name: 'has been created' }).waitFor()
      expect(await nameless()).toEqual([])
      await press(link('I have copied it'))
      await page.getByRole('rowheader', { name: 'Website' }).waitFor()
      expect(await controls(page)).toContainEqual({ role: 'region', name: 'API keys' })
    })

    test('asking and opening a citation', async () => {
      world.upstream.enqueue(
        ...readingTheGate(),
        reply('It says “A small lamp that is carried into a dark room” [S2].'),
      )
      await press(link('Ask'))
      await page.waitForURL('**/ask')
      await expect.poll(() => hasFocus(page.getByLabel('Your question'))).toBe(true)
      await page.keyboard.type('What does the Gate say?')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/sessions\//)
      await ended(page)
      await announced(page, 'The answer is complete.')
      expect(await nameless()).toEqual([])
      await press(page.locator('.answer').getByRole('link', { name: 'Source 1' }))
      await page.locator('.passage mark').first().waitFor()
      await press(page.locator('details.source > summary').first())
      expect(await page.locator('.passage mark').first().isVisible()).toBe(false)
    })

    test('searching, and reading with the menus of the reader', async () => {
      await press(link('Library'))
      await page.waitForURL('**/library')
      await page.keyboard.press('/')
      await page.keyboard.type('lamp')
      await page.keyboard.press('Enter')
      await press(page.locator('.hit h3 a').first())
      const chapters = page.locator('.chapter-nav summary')
      await press(chapters)
      await page.locator('.chapter-nav .chapters a').first().waitFor()
      expect(await nameless()).toEqual([])
      await page.keyboard.press('Escape')
      expect(await hasFocus(chapters)).toBe(true)
      await press(button('Larger text'))
      await press(button('Hebrew'), 'Space')
      await page.locator('.reader[data-show="he"]').waitFor()
      await press(page.locator('a[data-passage]').first())
      await page.locator('aside.panel').waitFor()
      expect(await nameless()).toEqual([])
      await page.keyboard.press('Escape')
      expect(await hasFocus(page.locator('a[data-passage]').first())).toBe(true)
    })

    test('building a sheet, changing its order and downloading it', async () => {
      await press(link('Sheets'))
      await type('Title', 'Lamps')
      await page.keyboard.press('Enter')
      for (const ref of ['The Gate 1:1', 'The Gate 2:1']) {
        await type('Add a passage', ref)
        await page.keyboard.press('Enter')
        await page.locator('.entry-ref').filter({ hasText: ref }).waitFor()
      }
      expect(await nameless()).toEqual([])
      await press(button('Move up: The Gate 2:1'))
      await page.getByText('Moved to place 1 of 2').waitFor()
      await press(page.locator('.sheet-bar summary'))
      const file = page.waitForEvent('download')
      await press(link('Markdown'))
      expect((await file).suggestedFilename()).toMatch(/\.md$/)
    })

    test('changing colours and language, and deleting the account', async () => {
      await press(button('Dark'))
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
      await press(button('Account menu'))
      await press(button('עברית'))
      await page.locator('html[lang=he]').waitFor()
      await press(button('תפריט החשבון'))
      await press(link('הגדרות'))
      await press(link('חשבון'))
      await press(button('מחיקת החשבון…'))
      expect(await nameless()).toEqual([])
      await page.keyboard.type(password)
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/signin\?done=deleted/)
      await page.getByText('החשבון וכל הנתונים שבו נמחקו.').waitFor()
    })
  },
)
