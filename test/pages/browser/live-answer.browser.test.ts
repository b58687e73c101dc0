import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { gate } from '../../support/scripted-upstream.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { ask, ended } from './conversation-page.ts'
import { gateBook, readingTheGate } from './gate-book.ts'
import { screenshot } from './screenshots.ts'
import { isInWindow, runningAnimations, scrolled } from './window-state.ts'

const begin = `### What it teaches

A **small lamp** [S2] and a list:

- one
- two

| he | en |
|--|--|
| נר | lamp |

`
const lines = Array.from({ length: 60 }, (_, i) => `Paragraph ${i + 1} of a long answer.`).join('\n\n')

describe.skipIf(!hasBrowser)('an answer while it is written', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true, library: gateBook })
  })
  afterAll(async () => {
    await world?.close()
  })

  /** Tags and texts of the answer's blocks. */
  const blocksOf = (page: Page) =>
    page
      .locator('.answer')
      .last()
      .evaluate((answer) =>
        [...answer.children].map(({ tagName, textContent }) => `${tagName} ${textContent?.trim()}`),
      )

  test('is Markdown with its citations at once, and the same at the end', async () => {
    const { page, leave } = await world.person()
    const held = gate()
    world.upstream.enqueue(...readingTheGate(), [
      { text: begin },
      { waitFor: held.opened },
      { text: 'The end.' },
    ])
    await ask(page, 'What does it teach?')
    await page.locator('.draft table').waitFor()
    const pill = page.locator('.draft').getByRole('link', { name: 'Source 1' })
    expect(await pill.textContent()).toBe('1')
    const box = await pill.boundingBox()
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24)
    await pill.click()
    const card = page.locator('.live-sources li', { has: page.locator(':target') })
    expect(await card.textContent()).toContain('The Gate 1:1')
    expect(await isInWindow(card)).toBe(true)
    await page.keyboard.press('Control+Home')
    await screenshot(page, 'live-markdown')
    const live = await blocksOf(page)
    expect(live.map((block) => block.split(' ')[0])).toEqual(['H3', 'P', 'UL', 'DIV'])
    const placeOf = () =>
      page.locator('.answer h3').evaluate((heading) => heading.getBoundingClientRect().top)
    const before = await placeOf()
    held.open()
    await ended(page)
    expect((await blocksOf(page)).slice(0, live.length)).toEqual(live)
    expect(await placeOf()).toBeCloseTo(before, 0)
    await leave()
  })

  test('is followed to its end until the reader scrolls up, and again on request', async () => {
    const { page, leave } = await world.person()
    const [first, second] = [gate(), gate()]
    world.upstream.enqueue([
      { text: `${lines}\n\n` },
      { waitFor: first.opened },
      { text: `${lines}\n\nSecond half.\n\n` },
      { waitFor: second.opened },
      { text: 'Third part.' },
    ])
    const isInView = (text: string) => isInWindow(page.getByText(text, { exact: true }).last())
    await ask(page, 'A long one?')
    await page.getByText('Paragraph 60 of a long answer.').waitFor()
    await expect.poll(() => isInView('Paragraph 60 of a long answer.')).toBe(true)
    expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(true)
    await page.mouse.wheel(0, -4_000)
    await page.getByRole('button', { name: 'Newest text' }).waitFor()
    await screenshot(page, 'live-scrolled-up')
    const top = await scrolled(page)
    first.open()
    await page.getByText('Second half.').waitFor()
    expect(await scrolled(page)).toBe(top)
    expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Newest text' }).click()
    await expect.poll(() => isInView('Second half.')).toBe(true)
    second.open()
    await ended(page)
    await leave()
  })

  test.skipIf(isShort)(
    'is followed although the browser scrolls up to the place that the address names',
    async () => {
      const { page, leave } = await world.person()
      const held = gate()
      world.upstream.enqueue([
        { text: `${lines}\n\n` },
        { waitFor: held.opened },
        { text: `${lines}\n\nAfter the scroll.\n\n` },
      ])
      await ask(page, 'One at a named place?')
      await page.getByText('Paragraph 60 of a long answer.').waitFor()
      await expect.poll(() => scrolled(page)).toBeGreaterThan(500)
      await page.evaluate(`new Promise((resolve) => {
      addEventListener('scroll', resolve, { once: true })
      scrollTo({ top: 0, behavior: 'instant' })
    })`)
      held.open()
      const newest = page.getByText('After the scroll.')
      await newest.waitFor()
      await expect.poll(() => isInWindow(newest)).toBe(true)
      await ended(page)
      await leave()
    },
  )

  test('moves nothing for readers who want less motion', async () => {
    const { page, leave } = await world.person()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const held = gate()
    world.upstream.enqueue([{ text: 'Calm.' }, { waitFor: held.opened }])
    await ask(page, 'Calm?')
    await page.locator('.draft').getByText('Calm.').waitFor()
    expect(await runningAnimations(page)).toBe(0)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    expect(await runningAnimations(page)).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped this answer.').waitFor()
    await leave()
  })
})
