import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { reply } from '../../support/scripted-upstream.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { ended } from './conversation-page.ts'
import { gateBook, readingTheGate } from './gate-book.ts'
import { accessibilityFaults, inAllLooks } from './quality.ts'
import { hasFocus, tabTo } from './window-state.ts'

const answer =
  'It says “A small lamp that is carried into a dark hall” [S2], and “the moon was full of silver fishes” [S3].'

describe.skipIf(!hasBrowser)('asking, reading, checking and sharing by keyboard alone', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true, library: gateBook })
  })
  afterAll(async () => {
    await world?.close()
  })

  test.skipIf(isShort)('leads from the question to a shared conversation', async () => {
    const { page, leave } = await world.person()
    world.upstream.enqueue(...readingTheGate(), reply(answer))
    await tabTo(page, page.getByLabel('Your question'))
    await page.keyboard.type('What does the Gate say?')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/sessions\//)
    await ended(page)
    await tabTo(page, page.locator('.answer').getByRole('link', { name: 'Source 1', exact: true }))
    await page.keyboard.press('Enter')
    await page.locator('.passage mark').first().waitFor()
    await tabTo(page, page.getByRole('radio', { name: 'All' }).first())
    await page.keyboard.press('ArrowLeft')
    expect(await page.locator('.passages').first().locator('[lang=he]').isVisible()).toBe(false)
    await tabTo(page, page.locator('.answer').getByRole('button', { name: 'nearly exact' }))
    await page.keyboard.press('Enter')
    const details = page.getByRole('dialog', { name: 'Check of the quotation' })
    await details.waitFor()
    expect(await accessibilityFaults(page, 'check-dialog')).toEqual([])
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'hidden' })
    await tabTo(page, page.locator('.share > summary'))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Create link' }))
    await page.keyboard.press('Enter')
    await page.waitForURL(/done=shared/)
    await tabTo(page, page.locator('.share > summary'))
    await page.keyboard.press('Enter')
    expect(await accessibilityFaults(page, 'share-menu')).toEqual([])
    await tabTo(page, page.getByRole('link', { name: 'Open', exact: true }))
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/shared\//)
    await page.getByText('not found').first().waitFor()
    expect(await inAllLooks(page, 'shared')).toEqual([])
    await leave()
  })

  test.skipIf(isShort)('what is copied is announced', async () => {
    const { page, window } = await world.person()
    await window.grantPermissions(['clipboard-read', 'clipboard-write'])
    world.upstream.enqueue(...readingTheGate(), reply(answer))
    await page.getByLabel('Your question').fill('Copy?')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/sessions\//)
    await ended(page)
    const said = page.locator('#toasts[aria-live=polite]')
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await page.getByRole('button', { name: 'Copy answer' }).click()
    await expect.poll(() => said.textContent()).toBe('Copied')
    expect(await copied()).toContain('“A small lamp that is carried into a dark hall” [1]')
    const card = page.locator('.source-card').first()
    await card.getByRole('button', { name: 'Copy the text of The Gate 1:1' }).click()
    await expect.poll(copied).toMatch(/^נֵר קָטָן[\s\S]*A small lamp[\s\S]*The Gate 1:1$/)
    await card.getByRole('button', { name: 'Copy a link to The Gate 1:1' }).click()
    await expect.poll(copied).toMatch(/^http:\/\/.*\/library\/read\/The%20Gate%201%3A1$/)
    await window.close()
  })

  test.skipIf(isShort)('each copy button says what it copies, and of which passage or answer', async () => {
    const { page, window } = await world.person()
    for (const question of ['Which lamp?', 'Which fish?']) {
      world.upstream.enqueue(...readingTheGate(), reply(answer))
      await page.getByLabel('Your question').fill(question)
      await page.keyboard.press('Enter')
      await page.locator('article.turn', { hasText: question }).getByText('How this was found').waitFor()
    }
    for (const [language, shown] of [
      ['en', ['text', 'ref', 'link']],
      ['he', ['טקסט', 'מראה מקום', 'קישור']],
    ] as const) {
      await window.addCookies([{ name: 'language', value: language, url: world.service.url }])
      await page.goto(new URL(page.url()).pathname)
      const buttons = await page
        .locator('button:is([data-copy-text], [data-copy-link], [data-copy-passage])')
        .evaluateAll((all) => all.map((one) => [one.getAttribute('aria-label') ?? '', one.textContent ?? '']))
      expect(buttons.length).toBe(14)
      const names = buttons.filter(([, text]) => (shown as readonly string[]).includes(text ?? ''))
      expect(names.length).toBe(12)
      // Speech control finds a button by the words that it shows.
      for (const [name, text] of buttons) expect(name).toContain(text)
      for (const [name] of names) expect(name).toMatch(/The Gate \d:1|השער [א-ת]׳:א׳/)
      // Both answers cite the same two passages.
      expect(new Set(buttons.map(([name]) => name)).size).toBe(6 + 2)
    }
    expect(await accessibilityFaults(page, 'two-answers')).toEqual([])
    await window.close()
  })

  test.skipIf(isShort)(
    'what is copied without the clipboard of scripts, as without TLS, is announced',
    async () => {
      const { page, window } = await world.person()
      await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
      world.upstream.enqueue(...readingTheGate(), reply(answer))
      await page.goto('/ask')
      await page.getByLabel('Your question').fill('Copy in plain HTTP?')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/sessions\//)
      await ended(page)
      const button = page.getByRole('button', { name: 'Copy answer' })
      await button.click()
      await expect.poll(() => page.locator('#toasts').textContent()).toBe('Copied')
      expect(await hasFocus(button)).toBe(true)
      const box = page.getByLabel('Your question')
      await box.focus()
      await page.keyboard.press('Control+V')
      expect(await box.inputValue()).toContain('“A small lamp that is carried into a dark hall” [1]')
      await window.close()
    },
  )

  test('feedback is marked at once, and a note can follow', async () => {
    const { page, window } = await world.person()
    world.upstream.enqueue(reply('Plain.'))
    await page.getByLabel('Your question').fill('Rate?')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/sessions\//)
    await ended(page)
    const bad = page.getByRole('button', { name: 'Bad answer' })
    await bad.click()
    await expect.poll(() => bad.getAttribute('aria-pressed')).toBe('true')
    await page.getByLabel('What was good or bad about it?').fill('Too plain')
    await page.getByRole('button', { name: 'Send note' }).click()
    await expect
      .poll(() => world.rows('select rating, note from answer_feedback where note <> $1', ''))
      .toEqual([{ rating: -1, note: 'Too plain' }])
    await page.getByText('Note sent. Thank you.').waitFor()
    await page.reload()
    expect(await bad.getAttribute('aria-pressed')).toBe('true')
    await page.route('**/feedback', (route) => route.abort())
    await page.getByRole('button', { name: 'Good answer' }).click()
    await page.getByText('Your feedback could not be sent.').waitFor()
    expect(await bad.getAttribute('aria-pressed')).toBe('true')
    await window.close()
  })
})
