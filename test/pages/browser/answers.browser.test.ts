import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort, rows } from '../../support/full.ts'
import { callTools, gate, reply } from '../../support/scripted-upstream.ts'
import { useWorld } from '../../support/world/world.ts'
import { wordsOfLatin } from '../texts/latin-words.ts'
import { ask, ended } from './conversation-page.ts'
import { gateBook, readingTheGate } from './gate-book.ts'
import { accessibilityFaults, inAllLooks } from './quality.ts'
import { screenshot } from './screenshots.ts'
import { hasFocus, isInWindow, runningAnimations, scrolled, tabTo } from './window-state.ts'

const world = useWorld({ browser: true, library: gateBook })

describe.skipIf(!hasBrowser)('an answer of the model', () => {
  const answer = {
    begin: 'The Gate speaks of light and of counting.\n\n',
    rest: `> נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ [S1]

In English: “A small lamp that is carried into a dark room does not argue with the darkness” [S2]. Of the road it says “Whoever counts his own good deeds on the way arrives late” [S3], and “the moon was full of silver fishes over the harbour” [S3].`,
  }

  test('an answer is seen while it is written, then stands beside its checked sources', async () => {
    const { upstream } = world
    const { page, leave } = await world.person()
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
    await page.getByRole('radio', { name: 'All' }).first().press('ArrowLeft')
    expect(await page.locator('.passages').first().locator('[lang=he]').isVisible()).toBe(false)
    await page.getByRole('radio', { name: 'All' }).first().check()
    await page.locator('details.turn-foot summary').click()
    await page.locator('details.source').nth(1).locator('summary').click()
    expect(await inAllLooks(page, 'conversation')).toEqual([])
    await page.getByRole('link', { name: 'All details of this run' }).click()
    await page.getByRole('heading', { name: 'Run' }).waitFor()
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
})

describe.skipIf(!hasBrowser)('an answer while it is written', () => {
  const begin = `### What it teaches

A **small lamp** [S2] and a list:

- one
- two

| he | en |
|--|--|
| נר | lamp |

`
  const lines = Array.from({ length: 60 }, (_, i) => `Paragraph ${i + 1} of a long answer.`).join('\n\n')

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

describe.skipIf(!hasBrowser)('refs in an answer', () => {
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
})

describe.skipIf(!hasBrowser)('a conversation in Hebrew', () => {
  const begin = 'השער מדבר על אור ועל **מניין**.\n\n> נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל [S1]\n\n'
  const rest =
    'ועוד נאמר ”הַיָּרֵחַ הָיָה מָלֵא דָּגִים שֶׁל כֶּסֶף” [S1], ו”נר גדול הנכנס לחדר אפל אינו מתווכח עם החושך” [S1].'

  test('has Hebrew texts from the question to the checks, from right to left', async () => {
    const { page, window } = await world.person()
    await window.addCookies([{ name: 'language', value: 'he', url: world.service.url }])
    await page.goto('/ask')
    const held = gate()
    world.upstream.enqueue(...readingTheGate(), [{ text: begin }, { waitFor: held.opened }, { text: rest }])
    await page.getByLabel('השאלה שלך').fill('מה מלמד השער?')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/sessions\//)
    await page.locator('.draft blockquote').waitFor()
    expect(await page.locator('.strip .status').textContent()).toBe('התשובה נכתבת …')
    await screenshot(page, 'he-live')
    held.open()
    await page.getByText('איך זה נמצא').waitFor()
    expect(await page.locator('#announcement').textContent()).toBe('התשובה הושלמה.')
    expect(await page.locator('.answer .quoted.not_found').textContent()).toContain('דָּגִים')
    expect(await page.locator('.answer .check-note.not_found').textContent()).toBe('לא נמצא')
    const interfaceTexts = await page
      .locator('button, summary, .rail, .checks, h2, h3, label')
      .allTextContents()
    expect(wordsOfLatin(interfaceTexts.join(' ').replaceAll(/The Gate [\d:]+/g, ''))).toEqual([])
    await window.close()
  })
})

describe.skipIf(!hasBrowser)('copies of an answer, and feedback on it', () => {
  const answer =
    'It says “A small lamp that is carried into a dark hall” [S2], and “the moon was full of silver fishes” [S3].'

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
