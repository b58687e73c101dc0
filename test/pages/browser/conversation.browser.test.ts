import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { callTools, gate, reply } from '../../support/scripted-upstream.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { ask, ended } from './conversation-page.ts'
import { gateBook, readingTheGate } from './gate-book.ts'
import { accessibilityFaults, inAllLooks, inMoreLooks } from './quality.ts'
import { screenshot } from './screenshots.ts'

const answer = {
  begin: 'The Gate speaks of light and of counting.\n\n',
  rest: `> נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ [S1]

In English: “A small lamp that is carried into a dark room does not argue with the darkness” [S2]. Of the road it says “Whoever counts his own good deeds on the way arrives late” [S3], and “the moon was full of silver fishes over the harbour” [S3].`,
}

describe.skipIf(!hasBrowser)('asking in the pages', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true, library: gateBook })
  })
  afterAll(async () => {
    await world?.close()
  })

  test('an answer is seen while it is written, then stands beside its checked sources', async () => {
    const { upstream } = world
    const { page, leave } = await world.person()
    expect(await inMoreLooks(page, 'ask-empty')).toEqual([])
    const held = gate()
    upstream.enqueue(...readingTheGate(), [
      { text: answer.begin },
      { waitFor: held.opened },
      { text: answer.rest, chunks: 10 },
    ])
    await ask(page, 'What does the Gate teach?')
    await page.locator('.draft').getByText('The Gate speaks of light').waitFor()
    expect(await page.locator('.doing li.done').allTextContents()).toEqual([
      'Reading The Gate 1:1',
      'Reading The Gate 2:1',
    ])
    const read = page.getByRole('complementary', { name: 'Passages read for answer 1' })
    expect(await read.locator('.source-names .ref').allTextContents()).toEqual([
      'The Gate 1:1',
      'The Gate 2:1',
    ])
    expect(await accessibilityFaults(page, 'conversation-live')).toEqual([])
    held.open()
    await ended(page)
    const sources = page.locator('.sources li')
    expect(await sources.locator('.source-names .ref').allTextContents()).toEqual([
      'The Gate 1:1',
      'The Gate 2:1',
    ])
    expect(await sources.locator('.number').allTextContents()).toEqual(['1', '2', '3'])
    expect(await sources.locator('.badge').allTextContents()).toEqual([
      'word for word',
      'nearly exact',
      'not found',
    ])
    expect(await page.locator('.checks .count').allTextContents()).toEqual([
      '✓ 2 word for word',
      '≈ 1 nearly exact',
      '✗ 1 not found',
    ])
    expect(await page.locator('.answer .quoted.not_found').textContent()).toBe(
      'the moon was full of silver fishes over the harbour',
    )
    const notes = await page.locator('.answer .check-note').all()
    const spoken = notes.map(
      async (note) => (await note.getAttribute('aria-label')) ?? (await note.textContent()),
    )
    expect(await Promise.all(spoken)).toEqual(['word for word', 'word for word', 'nearly exact', 'not found'])
    await page.getByRole('button', { name: 'nearly exact' }).click()
    const details = page.getByRole('dialog', { name: 'Check of the quotation' })
    expect(await details.locator('.differences').textContent()).toMatch(/\S/)
    await screenshot(page, 'conversation-difference')
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Source 1', exact: true }).click()
    expect(await sources.nth(0).locator('.passage mark').first().textContent()).toBe(
      'נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ',
    )
    expect(await sources.nth(0).locator('.passage mark').first().isVisible()).toBe(true)
    expect(await sources.nth(0).locator('blockquote').nth(1).textContent()).toContain('A small lamp')
    await page.locator('details.turn-foot summary').click()
    await page.locator('details.source').nth(1).locator('summary').click()
    expect(await inAllLooks(page, 'conversation')).toEqual([])
    await page.getByRole('link', { name: 'All details of this run' }).click()
    await page.getByRole('heading', { name: 'Run' }).waitFor()
    expect(await inMoreLooks(page, 'run')).toEqual([])
    await page.goto('/ask')
    await screenshot(page, 'ask')
    await leave()
  })

  test.skipIf(isShort)(
    'an answer links the files it made and quotes, and names what cannot be looked up',
    async () => {
      const { upstream } = world
      const { page, leave } = await world.person()
      upstream.enqueue(
        callTools([
          {
            name: 'write_file',
            arguments: { name: 'דף מקורות.md', content: '# דף\n\nA lamp needs no argument with the dark.' },
          },
        ]),
        callTools([{ name: 'read_file', arguments: { name: 'דף מקורות.md' } }]),
        reply('It is written. “A lamp needs no argument with the dark” [S1] [S9]. See The Gate 7:7.'),
      )
      await ask(page, 'Write a sheet')
      await ended(page)
      expect(await page.locator('.source-card .badge').allTextContents()).toEqual(['file', 'word for word'])
      const note = page.locator('.notice.note')
      expect(await note.textContent()).toContain(
        '1 citation was removed, because the turn never read its source.',
      )
      expect(await note.textContent()).toContain('The library does not have The Gate 7:7')
      await screenshot(page, 'conversation-file')
      await page.getByRole('link', { name: 'Source 1', exact: true }).click()
      await page.getByRole('link', { name: 'Open the file' }).click()
      await page.getByRole('heading', { name: 'דף מקורות.md' }).waitFor()
      await page.getByRole('link', { name: 'An answer' }).first().click()
      await page.getByText('Writing the file').waitFor()
      await leave()
    },
  )

  test.skipIf(isShort)('a long conversation is read in parts, newest first', async () => {
    const { upstream } = world
    const { page, leave, email } = await world.person()
    await world.db.database.systemPool.query(`update accounts set plan = 'pro' where email = $1`, [email])
    for (let i = 1; i <= 10; i += 1) {
      upstream.enqueue(reply(`Answer ${i}.`))
      await ask(page, `Question number ${i}`)
      await page.getByText(`Answer ${i}.`, { exact: true }).waitFor()
    }
    const asked = () => page.locator('.question').allTextContents()
    await page.reload()
    expect((await asked()).map((text) => text.trim())).toEqual(
      Array.from({ length: 8 }, (_, i) => `Question number ${i + 3}`),
    )
    await page.getByRole('link', { name: 'Earlier questions' }).click()
    await page.getByText('Answer 1.', { exact: true }).waitFor()
    expect((await asked()).map((text) => text.trim())).toEqual(['Question number 1', 'Question number 2'])
    expect(await page.getByRole('link', { name: 'Earlier questions' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Newest questions' }).click()
    await page.getByText('Answer 10.', { exact: true }).waitFor()
    await leave()
  })
})
