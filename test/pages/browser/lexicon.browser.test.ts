import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'

const entry = (name: string, heName: string) => ({
  work: 'Words of Light',
  he_title: 'מילות האור',
  category: 'concept',
  ref: `Words of Light, ${name} 1`,
  he_ref: `מילות האור, ${heName} א`,
  en: `${name} has an entry of one passage.`,
  he: 'לַנֵּר עֵרֶךְ מִשֶּׁלּוֹ.',
})

describe.skipIf(!hasBrowser)('a work whose entries have one passage each', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true, library: [entry('Lamp', 'נר'), entry('Oil', 'שמן')] })
  })
  afterAll(() => world?.close())

  test('has its entries in the menu of chapters, with the open one marked', async () => {
    const window = await openWindow(world.browser, world.service)
    const page = await window.newPage()
    await page.goto('/library/read/Words%20of%20Light%2C%20Lamp%201')
    const menu = page.locator('.chapter-nav summary')
    expect((await menu.textContent())?.trim()).toBe('Lamp')
    await menu.click()
    const entries = page.locator('.chapter-nav .part-list a')
    await entries.first().waitFor()
    expect(await entries.allTextContents()).toEqual(['Lamp', 'Oil'])
    expect(await page.locator('.chapter-nav [aria-current]').textContent()).toBe('Lamp')
    await entries.last().click()
    await page.getByRole('heading', { name: 'Words of Light, Oil 1', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'עברית', exact: true }).click()
    await page.locator('html[lang=he]').waitFor()
    expect((await menu.textContent())?.trim()).toBe('שמן א')
    await window.close()
  })

  test('is read with menus and settings that the security policy allows', async () => {
    const window = await openWindow(world.browser, world.service)
    const page = await window.newPage()
    const refused: string[] = []
    page.on('console', (message) => message.type() === 'error' && refused.push(message.text()))
    await page.goto('/library/read/Words%20of%20Light%2C%20Lamp%201')
    await page.locator('.chapter-nav summary').click()
    await page.locator('.chapter-nav .part-list a').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Points (nikud)' }).click()
    await page.getByText('לנר ערך משלו').waitFor()
    await page.locator('a[data-passage]').first().click()
    await page.locator('aside.panel').waitFor()
    expect(refused).toEqual([])
    await window.close()
  })

  test('is found under the name of its category', async () => {
    const window = await openWindow(world.browser, world.service)
    const page = await window.newPage()
    await page.goto('/library')
    await page.getByRole('link', { name: 'Concepts' }).click()
    await page.getByRole('heading', { name: 'Concepts', level: 2 }).waitFor()
    await window.close()
  })
})
