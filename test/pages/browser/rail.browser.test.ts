import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { gate } from '../../support/scripted-upstream.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { ask } from './conversation-page.ts'

describe.skipIf(!hasBrowser)('the list of conversations', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true })
  })
  afterAll(async () => {
    await world?.close()
  })

  test.skipIf(isShort)('loses the dot of another conversation when its answer ends', async () => {
    const { page, leave } = await world.person()
    const held = gate()
    world.upstream.enqueue([{ text: 'Slow.' }, { waitFor: held.opened }])
    await ask(page, 'A slow one?')
    await page.goto('/ask')
    const link = page.locator('.rail').getByRole('link', { name: 'A slow one?' })
    await link.focus()
    const dot = page.locator('.rail .dot')
    await dot.waitFor()
    held.open()
    await dot.waitFor({ state: 'detached' })
    expect(await link.evaluate((own) => own === own.ownerDocument.activeElement)).toBe(true)
    await leave()
  })

  test('shows two lines of a long name, and all of the name of the conversation at hand', async () => {
    const { page, leave } = await world.person()
    const question = 'Why does the moon wax and wane while the sun stays whole, as it is said? '.repeat(3)
    await ask(page, question)
    await page.setViewportSize({ width: 390, height: 844 })
    const lines = async () => {
      await page.locator('.rail-button').click()
      return page.evaluate<{ readonly shown: number; readonly isWhole: boolean }>(`(() => {
        const name = document.querySelector('#rail a[href^="/sessions/"] > span')
        const lineHeight = Number.parseFloat(getComputedStyle(name).lineHeight)
        const shown = Math.round(name.clientHeight / lineHeight)
        return { shown, isWhole: name.scrollHeight <= name.clientHeight + 1 && name.scrollWidth <= name.clientWidth + 1 }
      })()`)
    }
    const own = await lines()
    expect(own.isWhole).toBe(true)
    expect(own.shown).toBeGreaterThan(1)
    await page.goto('/ask')
    expect((await lines()).shown).toBe(2)
    await leave()
  })
})
