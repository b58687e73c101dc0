import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort, rows } from '../../support/full.ts'
import { reply } from '../../support/scripted-upstream.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { ask, ended } from './conversation-page.ts'
import { gateBook, readingTheGate } from './gate-book.ts'
import { accessibilityFaults } from './quality.ts'
import { hasFocus, isInWindow, scrolled, tabTo } from './window-state.ts'

describe.skipIf(!hasBrowser)('refs in an answer', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true, library: gateBook })
  })
  afterAll(async () => {
    await world?.close()
  })

  const preview = { name: 'Preview: The Gate 1:1' }

  test('are links with a preview for pointer and keyboard', async () => {
    const { page, leave } = await world.person()
    world.upstream.enqueue(...readingTheGate(), reply('It is said in The Gate 1:1, and in The Gate 9:9.'))
    await ask(page, 'Where?')
    await ended(page)
    const link = page.locator('.answer').getByRole('link', { name: 'The Gate 1:1' })
    expect(await page.locator('.answer a.ref').count()).toBe(1)
    expect(await page.locator('.answer').textContent()).toContain('The Gate 9:9')
    await link.hover()
    const box = page.getByRole('group', preview)
    await box.waitFor()
    expect(await box.locator('[lang=he]').last().textContent()).toContain('נֵר קָטָן')
    expect(await box.locator('[lang=en]').textContent()).toContain('A small lamp')
    expect(await box.textContent()).toContain('licence: CC0')
    expect(await accessibilityFaults(page, 'ref-preview')).toEqual([])
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'hidden' })
    await page.mouse.move(0, 0)
    await tabTo(page, link)
    await box.waitFor()
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toContain('Open')
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'hidden' })
    expect(await hasFocus(link)).toBe(true)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/library\/read\/The%20Gate%201%3A1/)
    await leave()
  })

  test.skipIf(isShort)(
    'have a preview for the keyboard while the page moves under a resting pointer',
    async () => {
      const { page, leave } = await world.person()
      const text = 'A paragraph of plain words.\n\n'.repeat(60)
      world.upstream.enqueue(...readingTheGate(), reply(`See The Gate 1:1.\n\n${text}`))
      await ask(page, 'Where, at length?')
      await ended(page)
      await page.mouse.move(100, 600)
      await page.keyboard.press('Control+End')
      // The browser scrolls to the end in steps, which would move the link out of the window again.
      await expect
        .poll(() => page.evaluate('scrollY + innerHeight >= document.body.scrollHeight - 1'))
        .toBe(true)
      expect(await scrolled(page)).toBeGreaterThan(500)
      const link = page.locator('.answer p > a.ref')
      await page.getByRole('button', { name: 'Copy answer' }).focus()
      for (let pressed = 0; pressed < 20 && !(await hasFocus(link)); pressed += 1)
        await page.keyboard.press('Shift+Tab')
      await expect.poll(() => isInWindow(link)).toBe(true)
      const box = page.getByRole('group', preview)
      await box.waitFor()
      /** Pixels between the link and its preview, which is below or above it. */
      const gap = async () => {
        const [preview, at] = [await box.boundingBox(), await link.boundingBox()]
        if (!preview || !at) return Number.POSITIVE_INFINITY
        return Math.min(Math.abs(preview.y - at.y - at.height), Math.abs(at.y - preview.y - preview.height))
      }
      await page.evaluate('scrollBy({ top: 30, behavior: "instant" })')
      await expect.poll(gap).toBeLessThan(8)
      await page.evaluate('scrollBy({ top: 3_000, behavior: "instant" })')
      await box.waitFor({ state: 'detached' })
      await leave()
    },
  )

  test.skipIf(isShort)('are links in quotations, and titles of works without a number too', async () => {
    const { page, leave } = await world.person()
    const answer = 'The Gate says “as The Gate 2:1 has it, the road is long” and a gate is a gate.'
    world.upstream.enqueue(...readingTheGate(), reply(answer))
    await ask(page, 'What says The Gate?')
    await ended(page)
    const links = page.locator('.answer a.ref')
    expect(await links.allTextContents()).toEqual(['The Gate', 'The Gate 2:1'])
    expect(await page.locator('.answer .quoted a.ref').count()).toBe(1)
    await links.first().hover()
    const box = page.getByRole('group', { name: 'Preview: The Gate' })
    await box.waitFor()
    expect(await box.textContent()).toContain('Gate, our translation')
    await box.getByRole('link', { name: 'Open The Gate' }).click()
    await page.waitForURL(/\/library\/work\/The%20Gate/)
    await leave()
  })

  test.each(rows(['csv'], ['txt']))('in a file of kind %s are links with a preview too', async (ending) => {
    const { page, leave } = await world.person()
    await page.locator('.attach input').setInputFiles({
      name: `notes.${ending}`,
      mimeType: 'text/plain',
      buffer: Buffer.from('<b>See</b> The Gate 1:1, not The Gate 9:9.\nAnd The Gate 2:1'),
    })
    const id = await page.locator('.attached input[name=file]').getAttribute('value')
    await page.goto(`/files/${id}`)
    const text = page.locator('.preview-text')
    expect(await text.getByRole('link').allTextContents()).toEqual(['The Gate 1:1', 'The Gate 2:1'])
    expect(await text.textContent()).toBe('<b>See</b> The Gate 1:1, not The Gate 9:9.\nAnd The Gate 2:1')
    await text.getByRole('link').first().hover()
    await page.getByRole('group', preview).waitFor()
    await leave()
  })

  test.skipIf(isShort)('in a Markdown file are links with a preview too', async () => {
    const { page, leave } = await world.person()
    await page.locator('.attach input').setInputFiles({
      name: 'notes.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# Notes\n\nSee The Gate 1:1 about the lamp.'),
    })
    const id = await page.locator('.attached input[name=file]').getAttribute('value')
    await page.goto(`/files/${id}`)
    await page.locator('.preview').getByRole('link', { name: 'The Gate 1:1' }).hover()
    await page.getByRole('group', preview).waitFor()
    await leave()
  })

  test.skipIf(isShort)('an unknown ref has no preview', async () => {
    const { page, leave } = await world.person()
    expect((await page.request.get('/library/preview/The%20Gate%209%3A9')).status()).toBe(404)
    await leave()
  })
})
