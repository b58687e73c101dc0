import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { importJsonl } from '../../../src/sources/importers/import-jsonl.ts'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort, rows } from '../../support/full.ts'
import { useWorld } from '../../support/world/world.ts'
import { faultsInLooks, watchShifts } from './every-look.ts'
import { everyLook } from './looks.ts'

/** Works of many periods, with an author and a category. */
const works = [
  ['Psalms of Lamps', 'תהילות הנרות', '-500--400', 'Asher the Builder', 'Poems'],
  ['Gate of Lamps', 'שער הנרות', '1790-1812', 'Alter Rebbe', 'Chasidut'],
  ['Road of Lamps', 'דרך הנרות', '1650', 'Miriam of the Lamps', 'Commentary'],
  ['Hall of Lamps', 'היכל הנרות', '1280-1290', 'Miriam of the Lamps', 'Kabbalah'],
  ['House of Lamps', 'בית הנרות', undefined, '', 'Chasidut'],
] as const

describe.skipIf(!hasBrowser)('the filters of a search', () => {
  let page: Page

  const world = useWorld({ browser: true, model: 'built-in' })
  beforeAll(async () => {
    async function* lines(): AsyncGenerator<string> {
      for (const [at, [work, he_title, composed, author, category]] of works.entries())
        for (let i = 1; i <= at + 2; i += 1)
          yield JSON.stringify({
            ...{ work, he_title, composed, author, category },
            ref: `${work} ${i}:1`,
            he_ref: `${he_title} ${i}`,
            en: `A lamp burns in room ${i} of ${work}, and nobody has counted the rooms.`,
            ...(i % 2 === 1 && { he: 'נֵר דּוֹלֵק בַּחֶדֶר, וְלֹא מָנָה אָדָם אֶת הַחֲדָרִים.' }),
          })
    }
    await importJsonl(world.db.database, lines(), { allowLicenses: [] })
    const window = await openWindow(world.browser, world.service)
    await watchShifts(window)
    page = await window.newPage()
  })

  const open = async (shown: Page) => {
    const button = shown.locator('.shelf-button')
    if (await button.isVisible()) await button.click()
  }

  test.each(rows(['&period=18&from=1700&to=1900&language=he'], ['']))(
    'are readable and fit every look with %j',
    async (chosen) => {
      const address = `/library/search?q=lamp+נר${chosen}`
      const name = chosen === '' ? 'filters' : 'filters-chosen'
      expect(await faultsInLooks(page, address, everyLook, { open, name })).toEqual([])
    },
  )

  test.skipIf(isShort)('a search that was refused is readable in every look', async () => {
    const address = '/library/search?q=lamp&period=18&author=Alter+Rebbe&language=he&from=1900&to=1700'
    expect(await faultsInLooks(page, address, everyLook, { name: 'filters-refused' })).toEqual([])
  })

  test('a page of a work with a date is readable in every look', async () => {
    const address = '/library/work/Gate%20of%20Lamps'
    expect(await faultsInLooks(page, address, everyLook, { name: 'dated-work' })).toEqual([])
  })

  test('years are entered in the panel, and stay with the others when the words change', async () => {
    await page.setViewportSize({ width: 1_280, height: 860 })
    await page.context().addCookies([{ name: 'language', value: 'en', domain: '127.0.0.1', path: '/' }])
    await page.goto('/library/search?q=lamp+נר')
    await page.getByRole('link', { name: 'Hebrew' }).click()
    await page.getByLabel('From year').fill('1700')
    await page.getByRole('button', { name: 'Show these years' }).click()
    expect(await page.locator('.chip').allInnerTexts()).toEqual([
      expect.stringContaining('Language: Hebrew'),
      expect.stringContaining('Years: from 1700'),
    ])
    await page.getByLabel('Search the texts').fill('חדר')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.waitForURL(/q=%D7/)
    expect(await page.locator('.chip').count()).toBe(2)
    expect(await page.locator('.hit a[href*="/library/work/"]').allInnerTexts()).toEqual([
      'Gate of Lamps',
      'Gate of Lamps',
    ])
  })
})
