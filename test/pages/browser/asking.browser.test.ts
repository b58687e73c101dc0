import { describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { gate, reply } from '../../support/scripted-upstream.ts'
import { useWorld } from '../../support/world/world.ts'
import { ask, ended } from './conversation-page.ts'
import { gateBook } from './gate-book.ts'
import { sizes } from './looks.ts'
import { accessibilityFaults, inAllLooks } from './quality.ts'
import { hasFocus } from './window-state.ts'

const world = useWorld({ browser: true, library: gateBook })

describe.skipIf(!hasBrowser)('the box for questions and the list of conversations', () => {
  test('Shift+Enter begins a line, and Enter sends the question', async () => {
    const { page, leave } = await world.person()
    world.upstream.enqueue(reply('Two lines.'))
    const box = page.getByLabel('Your question')
    await box.pressSequentially('One')
    const height = (await box.boundingBox())?.height ?? 0
    for (let line = 0; line < 4; line += 1) await box.press('Shift+Enter')
    await box.pressSequentially('two')
    expect((await box.boundingBox())?.height).toBeGreaterThan(height)
    await box.press('Enter')
    await page.waitForURL(/\/sessions\//)
    await ended(page)
    expect((await page.locator('.question').textContent())?.trim()).toBe('One\n\n\n\ntwo')
    await leave()
  })

  test.skipIf(isShort)(
    'a question that is sent without a connection stays in the box, and is sent when it is back',
    async () => {
      const { page, leave } = await world.person()
      world.upstream.enqueue(reply('It shines.'))
      const box = page.getByLabel('Your question')
      await box.fill('What shines?')
      await page.context().setOffline(true)
      await box.press('Enter')
      await page.getByRole('alert').filter({ hasText: 'There is no connection' }).waitFor()
      expect(await box.inputValue()).toBe('What shines?')
      expect(await inAllLooks(page, 'ask-offline')).toEqual([])
      await page.context().setOffline(false)
      await page.getByRole('button', { name: 'Send the question' }).click()
      await page.waitForURL(/\/sessions\//)
      await ended(page)
      await leave()
    },
  )

  test('an example fills the box', async () => {
    const { page, leave } = await world.person()
    const example = page.locator('.questions a').first()
    const text = (await example.textContent()) ?? ''
    await example.click()
    expect(await page.getByLabel('Your question').inputValue()).toBe(text)
    expect(new URL(page.url()).search).toBe('')
    await leave()
  })

  test('a chosen file is uploaded, named and read by the answer', async () => {
    const { page, leave } = await world.person()
    await page.evaluate(`globalThis.said = []
        const status = document.querySelector('.composer-status')
        new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true })`)
    await page.locator('.attach input').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('A kettle that sings is not yet tea.'),
    })
    await page.getByRole('list', { name: 'Attached files' }).getByText('notes.txt').waitFor()
    expect(await page.evaluate('said')).toContain('Uploading … notes.txt 100 %')
    expect(await accessibilityFaults(page, 'ask-attached')).toEqual([])
    world.upstream.enqueue(reply('“A kettle that sings is not yet tea” [S1].'))
    await ask(page, 'What do my notes say?')
    await ended(page)
    expect(await page.locator('.source-card .badge').allTextContents()).toEqual(['file', 'word for word'])
    const attached = page.locator('.question').getByRole('link', { name: 'notes.txt' })
    expect(await attached.getAttribute('href')).toMatch(/^\/files\/file-/)
    await page.getByText('How this was found').click()
    await page.getByText('Reading the file notes.txt').waitFor()
    expect(await page.locator('.steps').textContent()).not.toContain('file-')
    await attached.click()
    await page.getByText('Text', { exact: true }).waitFor()
    await page.goto('/ask')
    await page.locator('.attach input').setInputFiles({
      name: 'broken.exe',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('MZ'),
    })
    await page.locator('.attached li, .composer-status:not(:empty)').first().waitFor()
    await page.getByRole('button', { name: 'Remove broken.exe' }).click()
    expect(await page.locator('.attached li').count()).toBe(0)
    await leave()
  })

  test('on a phone the list is a drawer that Escape closes', async () => {
    const { page, leave } = await world.person()
    await page.setViewportSize(sizes.phone)
    const list = page.getByRole('navigation', { name: 'Conversations' })
    expect(await list.isVisible()).toBe(false)
    const opener = page.getByRole('button', { name: 'Conversations' })
    await opener.click()
    await list.waitFor()
    expect(await accessibilityFaults(page, 'rail-drawer')).toEqual([])
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'hidden' })
    expect(await hasFocus(opener)).toBe(true)
    await leave()
  })
})

describe.skipIf(!hasBrowser)('reading and asking', () => {
  test('the reader leads to the box with a question about the place, and the box has the focus', async () => {
    const { page, leave } = await world.person()
    await page.goto('/library/read/The%20Gate%201')
    await page.getByRole('link', { name: 'Ask about this: The Gate 1:1' }).click()
    await page.waitForURL(/\/ask/)
    const box = page.getByLabel('Your question')
    expect(await box.inputValue()).toBe('What does The Gate 1:1 mean?')
    await expect.poll(() => hasFocus(box)).toBe(true)
    await leave()
  })

  test('the page of a passage has its text in both languages; the panel beside the text does not repeat it', async () => {
    const { page, leave } = await world.person()
    await page.goto('/library/passage/The%20Gate%201:1')
    const text = page.locator('.passage-text .text')
    expect(await text.locator('visible=true').count()).toBe(2)
    expect(await text.last().textContent()).toContain('A small lamp that is carried')
    expect(await inAllLooks(page, 'passage')).toEqual([])
    await page.goto('/library/read/The%20Gate%201')
    await page.locator('a[data-passage]').first().click()
    await page.locator('aside.panel').getByRole('link', { name: 'Ask about this' }).waitFor()
    expect(await text.first().isVisible()).toBe(false)
    await leave()
  })
})

describe.skipIf(!hasBrowser)('the list of conversations', () => {
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
