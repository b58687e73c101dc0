import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { rows } from '../../support/full.ts'
import { importLines } from '../../support/library-lines.ts'
import { type BrowserWorld, useWorld } from '../../support/world/world.ts'
import { faultsInLooks, watchShifts } from './every-look.ts'
import { everyLook } from './looks.ts'
import { importOwnTexts } from './own-texts.ts'

const first = 'The Lamp, Part I; On Lamps 1:1'
const read = (ref: string) => `/library/read/${encodeURIComponent(ref)}`

const entry = (name: string, heName: string) => ({
  work: 'Words of Light',
  he_title: 'מילות האור',
  category: 'concept',
  ref: `Words of Light, ${name} 1`,
  he_ref: `מילות האור, ${heName} א`,
  en: `${name} has an entry of one passage.`,
  he: 'לַנֵּר עֵרֶךְ מִשֶּׁלּוֹ.',
})

const phones = [
  ['en', 'phone', 'light'],
  ['en', 'phone', 'dark'],
  ['he', 'phone', 'light'],
  ['he', 'phone', 'dark'],
] as const

const world = useWorld({ browser: true, model: 'built-in' })
beforeAll(async () => {
  await importOwnTexts(world.db.database)
  await importLines(world.db.database, [entry('Lamp', 'נר'), entry('Oil', 'שמן')])
})

describe.skipIf(!hasBrowser)('signed in or not', () => {
  let { service, browser } = {} as BrowserWorld
  let window: BrowserContext
  let page: Page

  beforeAll(async () => {
    ;({ service, browser } = world)
    window = await openWindow(browser, service)
    await window.grantPermissions(['clipboard-read', 'clipboard-write'])
    page = await window.newPage()
  })

  test('one reads on from chapter to chapter and back, and copies refs', async () => {
    await page.goto(read('The Lamp, Part I; On Lamps 1'))
    expect(await page.locator('.own-ref').count()).toBe(3)
    await page.getByRole('button', { name: `Copy the ref ${first}` }).click()
    // Screen readers announce the message.
    await page.locator('[aria-live="polite"]').getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(first)
    // Only the number takes room; screen readers get the whole ref.
    for (const [at, ref] of (await page.locator('.own-ref').all()).entries()) {
      expect((await ref.boundingBox())?.width).toBeLessThan(20)
      expect(await page.locator('.segment').nth(at).ariaSnapshot()).toContain(`On Lamps 1:${at + 1}`)
    }
    const refs = () => page.locator('.own-ref').allTextContents()
    const before = await refs()
    await page.getByRole('link', { name: 'Next' }).first().click()
    expect(await refs()).toEqual(['The Lamp, Part I; On Lamps 2:1', 'The Lamp, Part I; On Lamps 2:2'])
    // The chapter was asked for, and no passage of it.
    expect(await page.locator('.segment.here').count()).toBe(0)
    await page.getByRole('link', { name: 'Next' }).first().click()
    expect(await refs()).toEqual(['The Lamp, Part II; On Wicks 1:1'])
    expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Previous' }).first().click()
    await page.getByRole('link', { name: 'Previous' }).first().click()
    expect(await refs()).toEqual(before)
  })

  test('Hebrew and English are side by side on a wide screen and alternate on a phone', async () => {
    await page.goto(read(first))
    const places = async () => {
      const segment = page.locator('.segment').first()
      const hebrew = await segment.locator('.text[lang="he"]').boundingBox()
      const english = await segment.locator('.text[lang="en"]').boundingBox()
      if (!hebrew || !english) throw new Error('a text is not shown')
      return { hebrew, english }
    }
    const wide = await places()
    expect(wide.hebrew.y).toBe(wide.english.y)
    expect(wide.hebrew.x).toBeGreaterThan(wide.english.x + wide.english.width - 1)
    await window.addCookies([{ name: 'language', value: 'he', url: service.url }])
    await page.reload()
    const inHebrew = await places()
    expect(inHebrew.hebrew.x).toBeGreaterThan(inHebrew.english.x + inHebrew.english.width - 1)
    await window.clearCookies({ name: 'language' })
    await page.setViewportSize({ width: 390, height: 844 })
    const phone = await places()
    expect(phone.english.y).toBeGreaterThan(phone.hebrew.y + phone.hebrew.height - 1)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await page.setViewportSize({ width: 1_280, height: 860 })
    const direction = `getComputedStyle(document.querySelector('.text[lang="he"]')).direction`
    expect(await page.evaluate(direction)).toBe('rtl')
    expect(await page.evaluate(`document.fonts.check('20px "Frank Ruhl Libre"', 'אָ')`)).toBe(true)
  })

  test('links of a passage open beside the text, by keyboard as well, and lead on', async () => {
    await page.goto(read('The Lamp, Part I; On Lamps 1'))
    const more = page.getByRole('link', { name: `2 links: ${first}` })
    expect(await more.textContent()).toBe('2 links')
    await more.focus()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: first })
    await panel.getByText('A Book Elsewhere 7:3').waitFor()
    await page.keyboard.press('Escape')
    expect(await panel.count()).toBe(0)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('2 links')
    await more.click()
    await panel.getByRole('link', { name: 'The Wall, North 1' }).click()
    await page.getByText('kept out one wind').waitFor()
  })

  test('language, size and points change at once, and the next page keeps them', async () => {
    const reader = await (await openWindow(browser, service)).newPage()
    await reader.goto(read(first))
    const hebrew = reader.locator('.text[lang="he"]').first()
    const english = reader.locator('.text[lang="en"]').first()
    await reader.getByRole('button', { name: 'Hebrew', exact: true }).click()
    await english.waitFor({ state: 'hidden' })
    const size = `parseFloat(getComputedStyle(document.querySelector('.text[lang="he"]')).fontSize)`
    const sizeOf = () => reader.evaluate<number>(size)
    const before = await sizeOf()
    const stored = reader.waitForResponse((response) => response.url().includes('/library/read/'))
    await reader.getByRole('button', { name: 'Larger text' }).click()
    await expect.poll(sizeOf).toBeGreaterThan(before)
    await stored
    await reader.getByRole('button', { name: 'Points (nikud)' }).click()
    await expect.poll(() => hebrew.textContent()).toContain('נר קטן הנכנס')
    const larger = await sizeOf()
    await reader.goto(read('The Lamp, Part I; On Lamps 1'))
    expect([await english.isVisible(), await sizeOf()]).toEqual([false, larger])
    expect(await hebrew.textContent()).toContain('נר קטן הנכנס')
  })

  test('a passage far down in a long chapter is brought into view', async () => {
    await page.goto(read('A Hundred Steps 1:55'))
    const { y } = (await page.locator('.segment.here').boundingBox()) ?? { y: -1 }
    expect(y).toBeGreaterThan(0)
    expect(y).toBeLessThan(860)
    await page.getByRole('link', { name: 'Next' }).first().click()
    expect(await page.locator('.own-ref').first().textContent()).toBe('A Hundred Steps 1:61')
  })

  test('without scripts one reads on, and nothing is offered that needs them', async () => {
    const plain = await (await openWindow(browser, service, { scripts: false })).newPage()
    await plain.goto(read(first))
    expect(await plain.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    await plain.getByRole('link', { name: 'Next' }).first().click()
    expect(await plain.locator('.own-ref').first().textContent()).toBe('The Lamp, Part I; On Lamps 2:1')
    await plain.context().close()
  })

  test('entries of one passage each are a menu, with the open one marked, that the security policy allows', async () => {
    const refused: string[] = []
    const listen = (message: ConsoleMessage) => message.type() === 'error' && refused.push(message.text())
    page.on('console', listen)
    await page.goto('/library/read/Words%20of%20Light%2C%20Lamp%201')
    const menu = page.locator('.chapter-nav summary')
    expect((await menu.textContent())?.trim()).toBe('Lamp')
    await menu.click()
    const entries = page.locator('.chapter-nav .part-list a')
    await entries.first().waitFor()
    expect(await entries.allTextContents()).toEqual(['Lamp', 'Oil'])
    expect(await page.locator('.chapter-nav [aria-current]').textContent()).toBe('Lamp')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Points (nikud)' }).click()
    await page.getByText('לנר ערך משלו').waitFor()
    await page.locator('a[data-passage]').first().click()
    await page.locator('aside.panel').waitFor()
    expect(refused).toEqual([])
    page.off('console', listen)
    await page.getByRole('button', { name: 'עברית', exact: true }).click()
    await page.locator('html[lang=he]').waitFor()
    expect((await menu.textContent())?.trim()).toBe('נר א')
    await page.context().clearCookies()
  })
})

describe.skipIf(!hasBrowser)('the reader on phones', () => {
  let page: Page

  beforeAll(async () => {
    const person = await world.person()
    await watchShifts(person.window)
    page = person.page
  })

  /** How many rows the controls stand in that the bar shows. */
  const barRows = () =>
    page.evaluate<number>(`(() => {
        const shown = [...document.querySelectorAll('.reader-bar :is(a, button, summary)')]
          .filter((one) => one.checkVisibility())
        const middle = ({ top, bottom }) => Math.round((top + bottom) / 20)
        return new Set(shown.map((one) => middle(one.getBoundingClientRect()))).size
      })()`)

  test.each(rows(['1'], ['2']))(
    'has a bar of one row, also with versions and a long name beside it (chapter %s)',
    async (chapter) => {
      const counted: number[] = []
      const open = async () => {
        counted.push(await barRows())
      }
      const address = read(`The Lamp, Part I; On Lamps ${chapter}`)
      expect(await faultsInLooks(page, address, phones, { open, name: `reader-bar-${chapter}` })).toEqual([])
      expect(new Set(counted)).toEqual(new Set([1]))
    },
  )

  test('has settings of the text in the bar, which act on the page behind them', async () => {
    const open = async () => {
      await page.locator('.display-button').click()
      await page.locator('#reading-settings').waitFor()
    }
    const address = read('The Lamp, Part I; On Lamps 1')
    expect(await faultsInLooks(page, address, phones, { open, name: 'reader-settings' })).toEqual([])
    await page.context().addCookies([{ name: 'language', value: 'en', domain: '127.0.0.1', path: '/' }])
    await page.goto(address)
    await page.getByRole('button', { name: 'Display' }).click()
    const english = page.locator('.text[lang="en"]').first()
    await page.getByRole('button', { name: 'Hebrew', exact: true }).click()
    await english.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Both' }).click()
    await english.waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#reading-settings').waitFor({ state: 'hidden' })
  })

  test('has menus as wide as the window', async () => {
    await page.goto(read('The Lamp, Part I; On Lamps 1'))
    await page.locator('.chapter-nav summary').click()
    await page.locator('.chapter-nav .chapters a').first().waitFor()
    const menu = await page.locator('.chapter-nav .menu-body').boundingBox()
    expect(menu?.width).toBeGreaterThan(300)
  })

  test('shows a work in English alone from the left on Hebrew pages too, numbers included', async () => {
    const address = read('A Hundred Steps 1:1')
    expect(await faultsInLooks(page, address, everyLook, { name: 'reader-english-alone' })).toEqual([])
    for (const width of [390, 1_280]) {
      await page.setViewportSize({ width, height: 844 })
      const number = await page.locator('.segment .own-ref').first().boundingBox()
      const text = await page.locator('.segment .text').first().boundingBox()
      expect(Math.abs((number?.x ?? 0) - (text?.x ?? 99))).toBeLessThan(8)
    }
  })
})
