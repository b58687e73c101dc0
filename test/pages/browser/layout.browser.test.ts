import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { rows } from '../../support/full.ts'
import { reply } from '../../support/scripted-upstream.ts'
import type { Person } from '../../support/world/people.ts'
import { useWorld } from '../../support/world/world.ts'
import { ask, ended } from './conversation-page.ts'
import { gateBook, readingTheGate } from './gate-book.ts'
import { inAllLooks } from './quality.ts'

const answer = `It says “A small lamp that is carried into a dark room” [S2]. Elsewhere it says “Whoever counts his own good deeds on the road arrives late” [S2], “the moon was full of silver fishes over the harbour” [S3].`

const phone = { width: 390, height: 844 }
const desk = { width: 1_280, height: 860 }

/** Where elements are in the window, in CSS pixels. */
const edges = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((found) =>
    found.map((one) => {
      const { left, top, bottom } = one.getBoundingClientRect()
      return { left, top, bottom, height: bottom - top }
    }),
  )

/** Numbers of sources that begin a line without their label, and punctuation marks that do so without their number. */
function orphans(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const found = []
    const isBelow = (one, other) => one.top > other.bottom - 2
    for (const cite of document.querySelectorAll('.answer .cite')) {
      const label = cite.previousElementSibling
      const mark = document.createRange()
      const next = cite.nextSibling ?? cite.parentElement.nextSibling
      mark.setStart(next, 0)
      mark.setEnd(next, 1)
      const number = cite.getBoundingClientRect()
      if (isBelow(mark.getBoundingClientRect(), number)) found.push(mark + ' after ' + cite.textContent)
      if (isBelow(number, label.getBoundingClientRect())) found.push(cite.textContent + ' after its label')
    }
    return found
  })()`)
}

const long = 'that is longer than one line of a result, so that it fills the width that it has, and goes on '
const hebrew = 'שמן זית זך כתית למאור להעלות נר תמיד '
const line = { work: 'Oil', license: 'CC0' }
const oil = [
  { ...line, ref: 'Oil 1', en: `A flask ${long.repeat(3)}` },
  { ...line, ref: 'Oil 2', he: hebrew.repeat(9) },
  { ...line, work: 'Lamp', ref: 'Lamp 1:1', he_ref: `${hebrew.trim()} א׳:א׳`, he: hebrew },
]

const world = useWorld({ browser: true, library: [...gateBook, ...oil] })

describe.skipIf(!hasBrowser)('lines, menus and spaces of pages', () => {
  let page: Page
  let sheet: string
  let session: string

  beforeAll(async () => {
    const person = await world.person()
    page = person.page
    world.upstream.enqueue(...readingTheGate(), reply(answer))
    await ask(page, 'What does the Gate say?')
    await ended(page)
    session = new URL(page.url()).pathname
    const sent = { maxRedirects: 0, headers: { 'sec-fetch-site': 'same-origin' } }
    const made = await person.window.request.post('/sheets', { ...sent, form: { title: 'On lamps' } })
    sheet = made.headers()['location'] ?? ''
  })

  const inLanguage = (language: string) =>
    page.context().addCookies([{ name: 'language', value: language, url: world.service.url }])

  test('a label, the number after it and its full stop are on one line at any width', async () => {
    await inLanguage('en')
    await page.goto(session)
    expect(await page.locator('.answer .cite').count()).toBe(3)
    const found: Record<number, readonly string[]> = {}
    for (let width = 330; width <= 820; width += 14) {
      await page.setViewportSize({ width, height: 900 })
      const now = await orphans(page)
      if (now.length > 0) found[width] = now
    }
    expect(found).toEqual({})
  })

  test.each(rows(['he'], ['en']))('in language %s each menu opens whole within a phone', async (language) => {
    await inLanguage(language)
    await page.setViewportSize(phone)
    for (const path of [session, sheet, `/library/read/${encodeURIComponent('The Gate 1:1')}`]) {
      await page.goto(path)
      const menus = page.locator('details.menu')
      expect(await menus.count()).toBeGreaterThan(0)
      for (const menu of await menus.all()) {
        await menu.locator('summary').click()
        const body = await menu.locator('.menu-body').boundingBox()
        expect(body?.x).toBeGreaterThanOrEqual(0)
        expect((body?.x ?? 0) + (body?.width ?? 0)).toBeLessThanOrEqual(phone.width)
        await page.keyboard.press('Escape')
      }
    }
  })

  test('the two buttons of a dialog have one height', async () => {
    await inLanguage('en')
    await page.setViewportSize(desk)
    await page.goto('/settings/account')
    await page.getByRole('button', { name: 'Delete the account' }).click()
    const [first, second] = await edges(page, 'dialog[open] button')
    expect(first?.height).toBe(second?.height)
  })

  test('the heading of Settings stays at its place from tab to tab', async () => {
    await page.setViewportSize(desk)
    const places: unknown[] = []
    for (const path of ['/settings/keys', '/settings/account', '/settings/keys/new']) {
      await page.goto(path)
      places.push((await edges(page, 'h1'))[0]?.left)
    }
    expect(new Set(places).size).toBe(1)
  })

  test('a hint is nearer to its field than to what follows', async () => {
    await page.goto('/settings/account')
    const [[field], [hint], [button]] = [
      await edges(page, 'label:has(+ .hint) input'),
      await edges(page, 'label + .hint'),
      await edges(page, 'label + .hint + button'),
    ]
    if (!field || !hint || !button) throw new Error('the form has no hint')
    expect(hint.top - field.bottom).toBeLessThan(button.top - hint.bottom)
  })

  test('on a phone a card begins with its title', async () => {
    await page.setViewportSize(phone)
    await page.goto('/library/work/The%20Gate')
    const [title] = await edges(page, '.cards tbody th')
    const cells = await edges(page, '.cards tbody tr:first-child td')
    expect(Math.min(...cells.map(({ top }) => top))).toBeGreaterThan(title?.top ?? 0)
    // The name of its column stands before each cell, and screen readers still find a table.
    await page.goto('/usage')
    const names = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.balance tbody td')].map((cell) => getComputedStyle(cell, '::before').content)`,
    )
    expect(names.slice(0, 2)).toEqual(['"Left"', '"Until"'])
    expect(await page.getByRole('table').count()).toBeGreaterThan(0)
  })

  test('the labels of charts can be read at every width', async () => {
    for (const width of rows([390, 1_680], [820, 1_280])) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto('/usage')
      const heights = (await edges(page, '.chart .tick')).map(({ height }) => height)
      expect(Math.min(...heights)).toBeGreaterThan(12)
      expect(Math.max(...heights)).toBeLessThan(24)
    }
  })
})

describe.skipIf(!hasBrowser)('the layout of pages in Hebrew', () => {
  let person: Person

  beforeAll(async () => {
    person = await world.person()
    await choose('he')
  })

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
