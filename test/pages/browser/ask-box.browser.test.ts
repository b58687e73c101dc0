import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { gate, reply } from '../../support/scripted-upstream.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { ask, ended } from './conversation-page.ts'
import { gateBook } from './gate-book.ts'
import { sizes } from './looks.ts'
import { accessibilityFaults, inAllLooks, inMoreLooks } from './quality.ts'
import { screenshot } from './screenshots.ts'
import { hasFocus } from './window-state.ts'

describe.skipIf(!hasBrowser)('the box for questions and the list of conversations', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true, library: gateBook })
  })
  afterAll(async () => {
    await world?.close()
  })

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
    expect(await inMoreLooks(page, 'ask-start')).toEqual([])
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
    expect(await inMoreLooks(page, 'question-with-file')).toEqual([])
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

  test.skipIf(isShort)(
    'the list finds a conversation by its name, and marks the one that is answered',
    async () => {
      const { page, leave } = await world.person()
      const held = gate()
      world.upstream.enqueue(reply('Oil.'), [
        { text: 'Wick ' },
        { waitFor: held.opened },
        { text: 'and flame.' },
      ])
      await ask(page, 'What is oil?')
      await ended(page)
      await page.goto('/ask')
      await ask(page, 'What is a wick?')
      await page.getByText('Wick').last().waitFor()
      const list = page.getByRole('navigation', { name: 'Conversations' })
      expect(await list.getByRole('listitem').allTextContents()).toEqual([
        'What is a wick?being answered',
        'What is oil?',
      ])
      expect(await list.getByRole('link', { name: 'What is a wick?' }).getAttribute('aria-current')).toBe(
        'page',
      )
      await screenshot(page, 'rail')
      held.open()
      await ended(page)
      await expect.poll(() => list.locator('.dot').count()).toBe(0)
      await list.getByRole('searchbox', { name: 'Find a conversation' }).fill('OIL')
      await page.keyboard.press('Enter')
      await page.waitForURL(/find=OIL/)
      expect(await list.getByRole('listitem').allTextContents()).toEqual(['What is oil?'])
      await list.getByRole('searchbox').fill('100% _ no')
      await page.keyboard.press('Enter')
      await list.getByText('No conversation is named').waitFor()
      await leave()
    },
  )

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

  test.skipIf(isShort)('“Ask about this” fills the box of the conversation', async () => {
    const { page, leave } = await world.person()
    world.upstream.enqueue(
      [{ toolCalls: [{ name: 'read_source', arguments: { ref: 'The Gate 1:1' } }] }],
      reply('It shines [S1].'),
    )
    await ask(page, 'What of the lamp?')
    await ended(page)
    await page.getByRole('link', { name: 'Ask about this: The Gate 1:1' }).click()
    expect(await page.getByLabel('Your question').inputValue()).toBe('What does The Gate 1:1 mean?')
    await leave()
  })
})
