import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { readDocument } from '../../../src/workspace/documents/read.ts'
import { hasBrowser } from '../../support/browser.ts'
import { rows } from '../../support/full.ts'
import { reply } from '../../support/scripted-upstream.ts'
import { useWorld } from '../../support/world/world.ts'
import { ask, ended } from './conversation-page.ts'
import { gateBook, readingTheGate } from './gate-book.ts'
import { accessibilityFaults } from './quality.ts'
import { screenshot } from './screenshots.ts'
import { hasFocus, isInWindow } from './window-state.ts'

const link = '/library/read/The%20Gate%201%3A1'
const answer = `# What it says

It says “A small lamp that is carried into a dark room” [S2]. A little lamp is “a large bright lamp that somebody carried to a dark hall never argues with a darkness” [S2]. It begins with “נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל” [S1].

#### Read on

- [The Gate 1:1](${link})`

describe.skipIf(!hasBrowser)('an answer with checks', () => {
  let page: Page
  let path: string

  const world = useWorld({ browser: true, library: gateBook })
  beforeAll(async () => {
    const person = await world.person()
    page = person.page
    await person.window.grantPermissions(['clipboard-read', 'clipboard-write'])
    world.upstream.enqueue(...readingTheGate(), reply(answer))
    await ask(page, 'Who says “does not argue with the darkness; it only shines” (The Gate 1:1)?')
    await ended(page)
    path = new URL(page.url()).pathname
  })

  const parts = [
    'Check by the service',
    'word for word',
    'not found',
    'looked for in',
    'Answer of a model',
    'Sources',
  ]

  test('is copied with its checks, its sources and whole addresses', async () => {
    await page.getByRole('button', { name: 'Copy answer' }).click()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    for (const part of parts) expect(copied).toContain(part)
    expect(copied).toContain(`](${world.service.url}${link})`)
  })

  test.each(['md', 'docx', 'pdf'] as const)(
    'is exported as %s with its checks',
    { timeout: 120_000 },
    async (format) => {
      const response = await page.request.get(`${path}/export?format=${format}`)
      const body = await response.body()
      const text = format === 'md' ? `${body}` : (await readDocument(format, body, () => false)).text
      for (const part of parts.slice(0, 5)) expect(text).toContain(part)
      expect(text).not.toMatch(/author/)
    },
  )

  test('is printed with all checks and without buttons', async () => {
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('button:not(.check-note):visible, summary.button:visible').count()).toBe(0)
    expect(await page.getByText('Answer of a model').isVisible()).toBe(true)
    const shown = page.locator('.check-result li').first()
    expect(await shown.evaluate((line) => line.checkVisibility({ contentVisibilityAuto: true }))).toBe(true)
    await screenshot(page, 'real-answer-print')
    await page.emulateMedia({ media: 'screen' })
  })

  test('opens where words that were not found were looked for, with the nearest passage', async () => {
    await page.locator('.answer button.check-note.not_found').click()
    const details = page.locator('.check-details:popover-open')
    expect(await details.textContent()).toContain('looked for in The Gate 1:1')
    expect(await details.textContent()).toContain('Nearest: The Gate 1:1')
    expect(await details.locator('.differences li').count()).toBeGreaterThan(0)
    await screenshot(page, 'real-answer-not-found')
    await page.keyboard.press('Escape')
  })

  test('marks the quotations of its question', async () => {
    expect(await page.locator('.question .quoted.verbatim').textContent()).toContain('does not argue')
  })

  test('is of a run that knows the address of the service, for the links of its text', async () => {
    const run = await world.row<{ origin: string }>(`select request->>'origin' as origin from runs limit 1`)
    expect(run.origin).toBe(world.service.url)
  })

  test('links to the library, and keeps its headings in order', async () => {
    expect(await page.locator(`.answer a[href="${link}"]`).first().textContent()).toBe('The Gate 1:1')
    expect(
      await page.locator('.answer :is(h3, h4, h5, h6)').evaluateAll((all) => all.map((one) => one.tagName)),
    ).toEqual(['H3', 'H4'])
  })

  test('has the number after a Hebrew quotation of an English sentence', async () => {
    const ends = (selector: string) =>
      page
        .locator(selector)
        .last()
        .evaluate((one) => {
          const box = [...one.getClientRects()].at(-1)
          return { left: box?.left ?? 0, right: box?.right ?? 0, bottom: box?.bottom ?? 0 }
        })
    const [quoted, number] = [await ends('.answer p bdi.quoted'), await ends('.answer p .cite')]
    expect(number.left).toBeGreaterThanOrEqual(quoted.right)
    expect(Math.abs(number.bottom - quoted.bottom)).toBeLessThan(20)
  })

  test.each(
    rows(
      [[320, 568]],
      [
        [390, 844],
        [640, 430],
      ],
    ),
  )(
    'begins in the first window of %s × %s px, and opens a tapped source in a sheet',
    async (width, height) => {
      await page.setViewportSize({ width, height })
      await page.goto(path)
      const [answer, dock] = [page.locator('.answer').first(), page.locator('.dock')]
      expect((await answer.boundingBox())?.y).toBeLessThan(((await dock.boundingBox())?.y ?? 0) - 30)
      const number = page.locator('.answer .cite').first()
      const sheet = page.getByRole('dialog', { name: 'Source 1' })
      await number.click()
      await sheet.getByText('A small lamp').waitFor()
      expect(await isInWindow(sheet)).toBe(true)
      for (let pressed = 0; pressed < 20; pressed += 1) await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.closest("main .dock, main .answer")')).toBeNull()
      expect(await accessibilityFaults(page, `source-sheet-${width}`)).toEqual([])
      await sheet.getByRole('button', { name: /Copy a link/ }).click()
      await sheet.getByText('Copied').waitFor()
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'hidden' })
      expect(await hasFocus(number)).toBe(true)
      await number.click()
      await sheet.waitFor()
      await page.goBack()
      await sheet.waitFor({ state: 'hidden' })
      expect(new URL(page.url()).pathname).toBe(path)
      expect(await page.locator('.sources .source-card').count()).toBe(1)
      await page.setViewportSize({ width: 1_280, height: 860 })
    },
  )

  test('has its actions in one menu beside Share', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(path)
    await page.getByLabel('More actions').click()
    await page.getByRole('button', { name: 'Print' }).waitFor()
    await screenshot(page, 'conversation-menu')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name of the conversation').waitFor()
    await page.keyboard.press('Escape')
    expect(await hasFocus(page.getByRole('button', { name: 'Rename' }))).toBe(true)
    await page.keyboard.press('Escape')
    expect(await hasFocus(page.getByLabel('More actions'))).toBe(true)
    await page.setViewportSize({ width: 1_280, height: 860 })
  })

  test('is readable in all looks, also when it is shared', { timeout: 240_000 }, async () => {
    await page.locator('.share > summary').click()
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.waitForURL(/done=shared/)
    await page.goto(await page.locator('#share-link').inputValue())
    expect(await page.getByText('Answer of a model').isVisible()).toBe(true)
    expect(await page.locator('.check-note.not_found').isVisible()).toBe(true)
    await screenshot(page, 'real-answer-shared')
  })
})
