import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'

describe.skipIf(!hasBrowser)('typography, in a browser', () => {
  let world: BrowserWorld
  let page: Page

  beforeAll(async () => {
    world = await openWorld({ browser: true })
    page = await (await openWindow(world.browser, world.service)).newPage()
    await page.goto('/signin')
    await page.evaluate(`{
      const sample = document.createElement('p')
      sample.id = 'sample'
      sample.className = 'text'
      sample.style.fontSize = '100px'
      sample.style.whiteSpace = 'pre'
      document.querySelector('main').replaceChildren(sample)
    }`)
    await page.evaluate(`document.fonts.ready`)
  })
  afterAll(() => world?.close())

  /** Width in pixels of the character at `at`, in text set at 100 px. */
  const widthAt = (text: string, at: number) =>
    page.evaluate<number>(`(async () => {
      const sample = document.getElementById('sample')
      sample.textContent = ${JSON.stringify(text)}
      await document.fonts.ready
      const range = document.createRange()
      range.setStart(sample.firstChild, ${at})
      range.setEnd(sample.firstChild, ${at + 1})
      return range.getBoundingClientRect().width
    })()`)

  test.each([...'wyvAVTWYjo'])('the word space before %s is as wide as before n', async (letter) => {
    const plain = await widthAt('n nn', 1)
    expect(plain).toBeGreaterThan(15)
    expect(await widthAt(`n ${letter}n`, 1)).toBeCloseTo(plain, 0)
    expect(await widthAt(`${letter} nn`, 1)).toBeCloseTo(plain, 0)
  })

  test('letters are still kerned with each other', async () => {
    expect(await widthAt('AVA', 0)).toBeLessThan((await widthAt('AHA', 0)) - 2)
  })

  test('Latin and Hebrew letters of a line stand on one baseline', async () => {
    const baselines = await page.evaluate<number[]>(`['in whom', 'בינוני'].map((text) => {
      const line = document.createElement('p')
      line.className = 'text'
      line.append(text)
      const mark = document.createElement('span')
      mark.style.cssText = 'display:inline-block;inline-size:1px;block-size:1px'
      line.append(mark)
      document.querySelector('main').replaceChildren(line)
      return mark.getBoundingClientRect().bottom - line.getBoundingClientRect().top
    })`)
    expect(baselines[0]).toBeCloseTo(baselines[1] ?? 0, 0)
  })
})
