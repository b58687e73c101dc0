import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { rows } from '../../support/full.ts'
import type { Person } from '../../support/world/people.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { inAllLooks } from './quality.ts'

const long = 'that is longer than one line of a result, so that it fills the width that it has, and goes on '
const hebrew = 'שמן זית זך כתית למאור להעלות נר תמיד '

describe.skipIf(!hasBrowser)('the layout of pages in Hebrew', () => {
  let world: BrowserWorld
  let person: Person

  beforeAll(async () => {
    const line = { work: 'Oil', license: 'CC0' }
    const library = [
      { ...line, ref: 'Oil 1', en: `A flask ${long.repeat(3)}` },
      { ...line, ref: 'Oil 2', he: hebrew.repeat(9) },
      { ...line, work: 'Lamp', ref: 'Lamp 1:1', he_ref: `${hebrew.trim()} א׳:א׳`, he: hebrew },
    ]
    world = await openWorld({ browser: true, library })
    person = await world.person()
    await choose('he')
  })
  afterAll(() => world?.close())

  const choose = (value: string) =>
    person.window.addCookies([{ name: 'language', value, url: world.service.url }])

  test('a field for a file has Hebrew words, is reached by the keyboard, and shows the chosen name', async () => {
    const { page } = person
    await page.goto('/projects')
    await page.getByLabel('שם').fill('שמן')
    await page.getByRole('button', { name: 'יצירת הפרויקט' }).click()
    const field = page.getByLabel('קובץ', { exact: true })
    await field.focus()
    const look = (selector: string, property: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)
    expect(await look('.file-box input', 'opacity')).toBe('0')
    expect(await page.locator('.file-name').textContent()).toBe('לא נבחר קובץ')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('upload')
    expect(await look('.file-box .button', 'outlineStyle')).toBe('solid')
    await field.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
    await expect.poll(() => page.locator('.file-name').textContent()).toBe('a.txt')
    expect(await inAllLooks(page, 'he-upload')).toEqual([])
  })

  test.each(rows(['he'], ['en']))(
    'results in both languages are equally wide on a page in %s',
    async (language) => {
      const { page } = person
      await choose(language)
      const widthOf = async (word: string, direction: string) => {
        await page.goto(`/library/search?q=${word}`)
        return (await page.locator(`.hit .text[dir="${direction}"]`).first().boundingBox())?.width
      }
      expect(await widthOf('flask', 'ltr')).toBe(await widthOf('למאור', 'rtl'))
    },
  )

  test('a chapter with a long Hebrew name fits a phone', async () => {
    const { page } = person
    await choose('he')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/library/read/Lamp%201')
    expect(await page.locator('h1').textContent()).toContain('נר תמיד')
    const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(tooWide)).toBe(0)
    await page.setViewportSize({ width: 1_280, height: 860 })
  })

  test('the public link of a sheet is shown to its end', async () => {
    const { page } = person
    await choose('he')
    await page.goto('/sheets')
    await page.getByLabel('כותרת').fill('דף')
    await page.locator('.new-sheet button').click()
    await page.getByRole('button', { name: 'יצירת קישור' }).click()
    const link = page.locator('#link pre')
    expect(await link.textContent()).toContain(`${world.service.url}/sheets/shared/`)
    const box = `document.querySelector('#link pre')`
    expect(await page.evaluate(`${box}.scrollWidth - ${box}.clientWidth`)).toBe(0)
  })
})
