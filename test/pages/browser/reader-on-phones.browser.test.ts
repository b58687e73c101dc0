import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { rows } from '../../support/full.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { faultsInLooks, watchShifts } from './every-look.ts'
import { everyLook } from './looks.ts'
import { importOwnTexts } from './own-texts.ts'

const read = (ref: string) => `/library/read/${encodeURIComponent(ref)}`
const phones = [
  ['en', 'phone', 'light'],
  ['en', 'phone', 'dark'],
  ['he', 'phone', 'light'],
  ['he', 'phone', 'dark'],
] as const

describe.skipIf(!hasBrowser)('the reader on phones', () => {
  let world: BrowserWorld
  let page: Page

  beforeAll(async () => {
    world = await openWorld({ browser: true })
    await importOwnTexts(world.db.database)
    const person = await world.person()
    await watchShifts(person.window)
    page = person.page
  })
  afterAll(() => world?.close())

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
