import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
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

  test('loses the dot of another conversation when its answer ends', async () => {
    const { page, window } = await world.person()
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
    await window.close()
  })
})
