import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { makeAccount, makeKey } from '../../support/world/accounts.ts'
import { call } from '../../support/world/requests.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { importLongWork, importOwnTexts } from './own-texts.ts'
import { inAllLooks, inMoreLooks, weightOf } from './quality.ts'
import { hasFocus } from './window-state.ts'

const first = 'The Lamp, Part I; On Lamps 1:1'
const read = (ref: string) => `/library/read/${encodeURIComponent(ref)}`

describe.skipIf(!hasBrowser)('the library, in a browser, signed in or not', () => {
  let world: BrowserWorld
  let { db, service, browser } = {} as BrowserWorld
  let window: BrowserContext
  let page: Page

  beforeAll(async () => {
    world = await openWorld({ browser: true, model: 'built-in' })
    ;({ db, service, browser } = world)
    await importOwnTexts(db.database)
    window = await openWindow(browser, service)
    await window.grantPermissions(['clipboard-read', 'clipboard-write'])
    page = await window.newPage()
  })
  afterAll(() => world?.close())

  test.skipIf(isShort)('works are found by category and author, with their number', async () => {
    await page.goto('/library')
    await page.getByRole('heading', { name: 'Library', level: 1 }).waitFor()
    expect(await page.getByText('3 works in 5 versions, 110 texts').count()).toBe(1)
    expect(await inAllLooks(page, 'library')).toEqual([])
    await page.getByRole('link', { name: 'Teachings' }).click()
    expect(await page.locator('.work-title').allTextContents()).toEqual(['The Lamp', 'The Wall'])
    await page.getByRole('link', { name: 'Parables' }).click()
    expect(await page.locator('.work-title').allTextContents()).toEqual(['The Lamp'])
    await page.getByRole('link', { name: 'Asher the Builder' }).click()
    expect(await page.locator('.work-title').allTextContents()).toEqual(['The Wall'])
  })

  test('a work shows its parts and chapters, and the licence and source of each version', async () => {
    await page.goto('/library/work/The%20Lamp')
    expect(await page.getByRole('heading', { name: 'Part I; On Lamps' }).count()).toBe(1)
    expect(await page.locator('.chapters a').allTextContents()).toEqual(['1', '2', '1'])
    const rows = page.getByRole('table').locator('tbody tr')
    expect(await rows.count()).toBe(3)
    expect(await rows.filter({ hasText: 'Another translation' }).textContent()).toContain('CC-BY-SA')
    expect(await inMoreLooks(page, 'work')).toEqual([])
    await page.goto('/library/work/The%20Wall')
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    expect(await page.getByText('javascript:document').count()).toBe(1)
  })

  test('a search finds what the API finds, in both languages, and marks the words', async () => {
    const { id } = await makeAccount(db.database)
    const key = await makeKey(db.database, id)
    for (const [words, marked] of [
      ['borrowed oil', ['Oil', 'borrowed', 'oil']],
      ['שמן שאול', ['שֶׁמֶן', 'שָׁאוּל', 'כְּשֶׁמֶן']],
    ] as const) {
      await page.goto('/library')
      await page.getByLabel('Search the texts').fill(words)
      await page.getByRole('button', { name: 'Search' }).click()
      const api = await call(service, key, 'GET', `/v1/sources/search?q=${encodeURIComponent(words)}`)
      const { data } = (await api.json()) as { data: { ref: string; snippet: string }[] }
      expect(await page.locator('.hit h3 a').allTextContents()).toEqual(data.map(({ ref }) => ref))
      expect(await page.locator('.hit p.text').allTextContents()).toEqual(data.map(({ snippet }) => snippet))
      expect(await page.locator('.hit').first().locator('mark').allTextContents()).toEqual(marked)
    }
    expect(await page.locator('.hit').first().textContent()).toContain('Licence: CC0')
    expect(await inMoreLooks(page, 'search')).toEqual([])
  })

  test('a search for a ref opens its passage, or offers the nearest ref', async () => {
    await page.goto(`/library/search?q=${encodeURIComponent('the lamp on lamps 2:1')}`)
    expect(await page.locator('.segment.here .own-ref').textContent()).toBe('The Lamp, Part I; On Lamps 2:1')
    await page.goto(`/library/search?q=${encodeURIComponent('The Lamp, Part I; On Lamps 9:1')}`)
    const note = page.getByRole('status')
    expect(await note.textContent()).toContain('The library has no “The Lamp, Part I; On Lamps 9:1”')
    await note.getByRole('link').click()
    expect(await page.locator('.own-ref').first().textContent()).toContain('The Lamp, Part I; On Lamps 2:')
    const reply = await page.goto(read('The Lampe 9:9'))
    expect(reply?.status()).toBe(404)
    expect(await page.locator('.nearest a').first().textContent()).toContain('The Lamp')
    expect(await inAllLooks(page, 'unknown-ref')).toEqual([])
  })

  test('one reads on from chapter to chapter and back, and copies refs', async () => {
    await page.goto(read('The Lamp, Part I; On Lamps 1'))
    expect(await inMoreLooks(page, 'reader')).toEqual([])
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
    await page.setViewportSize({ width: 390, height: 844 })
    const phone = await places()
    expect(phone.english.y).toBeGreaterThan(phone.hebrew.y + phone.hebrew.height - 1)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await page.setViewportSize({ width: 1_280, height: 860 })
    const direction = `getComputedStyle(document.querySelector('.text[lang="he"]')).direction`
    expect(await page.evaluate(direction)).toBe('rtl')
    expect(await page.evaluate(`document.fonts.check('20px "Frank Ruhl Libre"', 'אָ')`)).toBe(true)
  })

  test.skipIf(isShort)('Hebrew stands on the right in the Hebrew interface as well', async () => {
    const hebrew = await browser.newContext({ baseURL: service.url, locale: 'he-IL' })
    const reader = await hebrew.newPage()
    await reader.goto(read('The Lamp, Part I; On Lamps 1'))
    expect(await reader.locator('html').getAttribute('dir')).toBe('rtl')
    const segment = reader.locator('.segment').first()
    const right = await segment.locator('.text[lang="he"]').boundingBox()
    const left = await segment.locator('.text[lang="en"]').boundingBox()
    expect(right?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0) - 1)
    expect(await inAllLooks(reader, 'reader-interface-he')).toEqual([])
    await reader.goto('/library/search?q=lamp')
    expect(await inAllLooks(reader, 'search-interface-he')).toEqual([])
    await hebrew.close()
  })

  test.skipIf(isShort)(
    'an English text that begins with a Hebrew word is still read from the left',
    async () => {
      for (const path of [
        '/library/search?q=carry+walk+slower',
        `${read('The Lamp, Part I; On Lamps 1:2')}?translation=en/Translated+for+the+tests`,
      ]) {
        await page.goto(path)
        const text = page.locator('.text').filter({ hasText: 'נר אחד: Two people' })
        expect(await text.getAttribute('dir')).toBe('ltr')
      }
    },
  )

  test.skipIf(isShort)('another version can be chosen, and its licence and source are shown', async () => {
    await page.goto(read(first))
    await page.getByText('Versions', { exact: true }).click()
    await page
      .getByRole('combobox', { name: 'Translation' })
      .selectOption({ label: 'English: Another translation' })
    await page.getByRole('button', { name: 'Show' }).click()
    expect(await page.locator('.text[lang="en"]').first().textContent()).toContain(
      'In other words, passage 1',
    )
    const credits = await page.getByRole('complementary', { name: 'Texts' }).textContent()
    expect(credits).toContain('Another translation. Licence: CC-BY-SA.')
    expect(credits).not.toContain('Translated for the tests')
  })

  test('quoted words are marked in the version that has them, or reported missing', async () => {
    await page.goto(`${read(first)}?quote=${encodeURIComponent('אינו מתוכח עם החשך')}`)
    expect(await page.locator('mark').allTextContents()).toEqual(['אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ'])
    await page.goto(`${read(first)}?quote=${encodeURIComponent('In other words, passage 1')}`)
    expect(await page.locator('mark').allTextContents()).toEqual(['In other words, passage 1'])
    await page.goto(`${read(first)}?quote=${encodeURIComponent('nobody ever wrote these words')}`)
    expect(await page.locator('mark').count()).toBe(0)
    expect(await page.getByText('are not on this page').count()).toBe(1)
  })

  test('links of a passage open beside the text, by keyboard as well, and lead on', async () => {
    await page.goto(read('The Lamp, Part I; On Lamps 1'))
    const more = page.getByRole('link', { name: `2 links: ${first}` })
    expect(await more.textContent()).toBe('2 links')
    await more.focus()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: first })
    await panel.getByText('A Book Elsewhere 7:3').waitFor()
    expect(await inMoreLooks(page, 'reader-panel')).toEqual([])
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
    expect(await inMoreLooks(reader, 'reader-hebrew')).toEqual([])
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

  test.skipIf(isShort)(
    'the menu of chapters lists the chapters of the part and marks the open one',
    async () => {
      await page.goto(read('The Lamp, Part I; On Lamps 2'))
      await page.locator('.chapter-nav summary').click()
      const chapters = page.locator('.chapter-nav .chapters a')
      await chapters.first().waitFor()
      expect(await chapters.allTextContents()).toEqual(['1', '2'])
      expect(await page.locator('.chapter-nav [aria-current]').textContent()).toBe('2')
      await chapters.first().click()
      await page.getByRole('heading', { name: 'On Lamps 1', level: 1 }).waitFor()
    },
  )

  test.skipIf(isShort)('a reader with an account keeps a bookmark and a note beside the text', async () => {
    const { page: mine } = await world.person()
    await mine.goto(read('The Lamp, Part I; On Lamps 1'))
    await mine.getByRole('link', { name: `2 links: ${first}` }).click()
    await mine.getByRole('button', { name: 'Add a bookmark' }).click()
    await mine.locator('.segment').first().getByRole('img', { name: 'Bookmarked' }).waitFor()
    await mine.getByText('Bookmark added.').waitFor()
    expect(await hasFocus(mine.getByRole('button', { name: 'Remove the bookmark' }))).toBe(true)
    await mine.getByLabel('Your note').fill('Why small?')
    await mine.getByRole('button', { name: 'Save the note' }).click()
    await mine.locator('.segment').first().locator('.own-note').waitFor()
    await mine.getByText('Note saved.').waitFor()
    expect(await hasFocus(mine.getByRole('button', { name: 'Save the note' }))).toBe(true)
    await mine.goto('/library/mine')
    expect(await mine.getByText('Why small?').count()).toBe(1)
    expect(await inMoreLooks(mine, 'my-reading')).toEqual([])
    await mine.goto('/library/work/The%20Lamp')
    await mine.getByRole('button', { name: 'Read a chapter a day' }).click()
    await mine.getByText('Day 1 of 3').waitFor()
    expect(await inAllLooks(mine, 'daily')).toEqual([])
  })

  test('markup in texts and in what is searched comes out as text', async () => {
    await page.goto(`${read('The Lamp, Part I; On Lamps 2:2')}?translation=en/Translated+for+the+tests`)
    expect(await page.title()).not.toContain('broken')
    expect(await page.locator('.segment b, .segment script').count()).toBe(0)
    expect(await page.getByText('<b>of his own</b>').count()).toBe(1)
    const hostile = '"><script>document.title="broken"</script><b>'
    for (const path of [`/library/search?q=${encodeURIComponent(hostile)}`, read(hostile)]) {
      await page.goto(path)
      expect(await page.title()).not.toBe('broken')
      expect(await page.locator('main script, main b').count()).toBe(0)
      expect(await page.getByLabel('Search the texts').inputValue()).toBe(hostile)
    }
  })

  test('a passage far down in a long chapter is brought into view', async () => {
    await page.goto(read('A Hundred Steps 1:55'))
    const { y } = (await page.locator('.segment.here').boundingBox()) ?? { y: -1 }
    expect(y).toBeGreaterThan(0)
    expect(y).toBeLessThan(860)
    await page.getByRole('link', { name: 'Next' }).first().click()
    expect(await page.locator('.own-ref').first().textContent()).toBe('A Hundred Steps 1:61')
  })

  test.skipIf(isShort)('the chapters of a long work come in pages, part by part', async () => {
    await importLongWork(db.database, 'Many Doors', [''])
    await importLongWork(db.database, 'Two Houses', [', East', ', West'])
    const chapters = page.locator('.chapters a')
    await page.goto('/library/work/Many%20Doors')
    expect(await chapters.count()).toBe(300)
    await page.getByRole('link', { name: 'More chapters' }).click()
    await page.getByRole('link', { name: '301', exact: true }).waitFor()
    expect(await chapters.count()).toBe(10)
    await page.goto('/library/work/Two%20Houses')
    expect(await page.locator('.part-list a').allTextContents()).toEqual(['East', 'West'])
    await page.getByRole('link', { name: 'West' }).click()
    await page.getByRole('link', { name: 'More chapters' }).click()
    await page.getByRole('link', { name: '310', exact: true }).click()
    await page.getByText('Door number 310 of Two Houses, West opens on the next.').waitFor()
    expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0)
  })

  test.skipIf(isShort)('no page weighs more than 200 KB, and all of them work without scripts', async () => {
    const plain = await openWindow(browser, service, { scripts: false })
    const reader = await plain.newPage()
    for (const path of ['/library', '/library/work/Many%20Doors', '/library/search?q=lamp', read(first)]) {
      const fresh = await openWindow(browser, service)
      expect(await weightOf(await fresh.newPage(), path)).toBeLessThan(200_000)
      await fresh.close()
      await reader.goto(path)
      expect(await reader.locator('h1').count()).toBe(1)
    }
    expect(await reader.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    await reader.getByRole('link', { name: 'Next' }).first().click()
    expect(await reader.locator('.own-ref').first().textContent()).toBe('The Lamp, Part I; On Lamps 2:1')
    await plain.close()
  })

  test.skipIf(isShort)('a search is limited in length and per address, as in the API', async () => {
    const long = await fetch(`${service.url}/library/search?q=${'a'.repeat(1_001)}`)
    expect(long.status).toBe(400)
    expect(await long.text()).toContain('The field &quot;q&quot; is not valid')
    // Four at once, more than a minute allows: one after the other, a busy machine would let the limit refill.
    const replies: Response[] = []
    while (replies.length < 120)
      replies.push(
        ...(await Promise.all(
          Array.from({ length: 4 }, () => fetch(`${service.url}/library/search?q=%D7%A0%D7%A8`)),
        )),
      )
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(30)
    for (const reply of refused) {
      expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await reply.text()).toContain('60 searches per minute')
    }
    expect((await fetch(`${service.url}${read(first)}`)).status).toBe(200)
  })
})
