import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { reply } from '../../support/scripted-upstream.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { ended } from './conversation-page.ts'
import { gateBook } from './gate-book.ts'
import { inAllLooks, inMoreLooks } from './quality.ts'
import { hasFocus } from './window-state.ts'

describe.skipIf(!hasBrowser)('reading and asking', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true, library: gateBook })
  })
  afterAll(() => world?.close())

  test('the question of a visitor is shown at the sign-up and sent with it', async () => {
    const page = await (await openWindow(world.browser, world.service)).newPage()
    await page.goto('/')
    await page.getByRole('searchbox', { name: 'Your question' }).fill('What is a lamp?')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Create account' }).click()
    await page.getByText('Asked as soon as you are in: “What is a lamp?”').waitFor()
    expect(await inMoreLooks(page, 'sign-up-with-question')).toEqual([])
    await page.getByLabel('E-mail address').fill('asks-first@example.org')
    await page.getByLabel('Password').fill('four unrelated words here')
    world.upstream.enqueue(reply('It shines.'))
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL(/\/sessions\//)
    await ended(page)
    expect((await page.locator('.question').textContent())?.trim()).toBe('What is a lamp?')
    await page.context().close()
  })

  test.skipIf(isShort)('a question of a visitor that cannot be asked stays in the box', async () => {
    const page = await (await openWindow(world.browser, world.service)).newPage()
    const question = 'x'.repeat(1_900)
    await page.goto(`/signup?next=${encodeURIComponent(`/ask?question=${question}&project=none`)}`)
    expect(await page.getByText('Asked as soon as you are in').count()).toBe(0)
    await page.getByLabel('E-mail address').fill('asks-long@example.org')
    await page.getByLabel('Password').fill('four unrelated words here')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL(/\/ask\?/)
    expect(await page.getByLabel('Your question').inputValue()).toBe(question)
    await page.context().close()
  })

  test('the reader leads to the box with a question about the place, and the box has the focus', async () => {
    const { page, leave } = await world.person()
    await page.goto('/library/read/The%20Gate%201')
    await page.getByRole('link', { name: 'Ask about this: The Gate 1:1' }).click()
    await page.waitForURL(/\/ask/)
    const box = page.getByLabel('Your question')
    expect(await box.inputValue()).toBe('What does The Gate 1:1 mean?')
    await expect.poll(() => hasFocus(box)).toBe(true)
    await leave()
  })

  test('the page of a passage has its text in both languages; the panel beside the text does not repeat it', async () => {
    const { page, leave } = await world.person()
    await page.goto('/library/passage/The%20Gate%201:1')
    const text = page.locator('.passage-text .text')
    expect(await text.locator('visible=true').count()).toBe(2)
    expect(await text.last().textContent()).toContain('A small lamp that is carried')
    expect(await inAllLooks(page, 'passage')).toEqual([])
    await page.goto('/library/read/The%20Gate%201')
    await page.locator('a[data-passage]').first().click()
    await page.locator('aside.panel').getByRole('link', { name: 'Ask about this' }).waitFor()
    expect(await text.first().isVisible()).toBe(false)
    await leave()
  })

  test.skipIf(isShort)(
    'a search for a ref that the library holds opens it, and one with a filter searches',
    async () => {
      const { page, leave } = await world.person()
      for (const [asked, heading] of [
        ['the gate 1', 'The Gate 1:1'],
        ['השער ב', 'The Gate 2:1'],
      ] as const) {
        await page.goto('/library/search')
        await page.getByLabel('Search the texts').fill(asked)
        await page.keyboard.press('Enter')
        await page.waitForURL(/\/library\/read\//)
        await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      }
      await page.goto('/library/search?q=the+gate+1&language=en')
      expect(new URL(page.url()).pathname).toBe('/library/search')
      await leave()
    },
  )
})
