import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { gate } from '../../support/scripted-upstream.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { wordsOfLatin } from '../texts/latin-words.ts'
import { gateBook, readingTheGate } from './gate-book.ts'
import { inMoreLooks } from './quality.ts'
import { screenshot } from './screenshots.ts'

const begin = 'השער מדבר על אור ועל **מניין**.\n\n> נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל [S1]\n\n'
const rest = 'ועוד נאמר ”הַיָּרֵחַ הָיָה מָלֵא דָּגִים שֶׁל כֶּסֶף” [S1], ו”נר גדול הנכנס לחדר אפל אינו מתווכח עם החושך” [S1].'

describe.skipIf(!hasBrowser)('a conversation in Hebrew', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true, library: gateBook })
  })
  afterAll(async () => {
    await world?.close()
  })

  test('has Hebrew texts from the question to the checks, from right to left', async () => {
    const { page, window } = await world.person()
    await window.addCookies([{ name: 'language', value: 'he', url: world.service.url }])
    await page.goto('/ask')
    expect(await inMoreLooks(page, 'he-ask')).toEqual([])
    const held = gate()
    world.upstream.enqueue(...readingTheGate(), [{ text: begin }, { waitFor: held.opened }, { text: rest }])
    await page.getByLabel('השאלה שלך').fill('מה מלמד השער?')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/sessions\//)
    await page.locator('.draft blockquote').waitFor()
    expect(await page.locator('.strip .status').textContent()).toBe('התשובה נכתבת …')
    await screenshot(page, 'he-live')
    held.open()
    await page.getByText('איך זה נמצא').waitFor()
    expect(await page.locator('#announcement').textContent()).toBe('התשובה הושלמה.')
    expect(await page.locator('.answer .quoted.not_found').textContent()).toContain('דָּגִים')
    expect(await page.locator('.answer .check-note.not_found').textContent()).toBe('לא נמצא')
    const interfaceTexts = await page
      .locator('button, summary, .rail, .checks, h2, h3, label')
      .allTextContents()
    expect(wordsOfLatin(interfaceTexts.join(' ').replaceAll(/The Gate [\d:]+/g, ''))).toEqual([])
    expect(await inMoreLooks(page, 'he-conversation')).toEqual([])
    await window.close()
  })
})
