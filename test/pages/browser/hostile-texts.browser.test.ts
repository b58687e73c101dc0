import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { callTools, gate } from '../../support/scripted-upstream.ts'
import { useWorld } from '../../support/world/world.ts'
import { ask, ended } from './conversation-page.ts'
import { gateBook } from './gate-book.ts'
import { screenshot } from './screenshots.ts'

const markup = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`

describe.skipIf(!hasBrowser)('texts that strangers wrote, and pages of other people', () => {
  const world = useWorld({ browser: true, library: gateBook })
  beforeAll(async () => {
    // No import takes such an address now; a library may have it from a former one.
    await world.rows(`update versions set source_url = 'javascript:alert(1)'
      where work_id = (select id from works where title = 'The Hostile Book')`)
  })

  /** What a page tells that it should not: dialogs, refusals of the content policy, errors, and requests elsewhere. */
  function watch(page: Page): readonly string[] {
    const seen: string[] = []
    page.on('dialog', (dialog) => {
      seen.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('pageerror', (fault) => seen.push(`error: ${fault.message}`))
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) seen.push(message.text())
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(world.service.url)) seen.push(request.url())
    })
    return seen
  }

  /** Scripts, images and handlers in the middle of the page, and links that would run something. */
  function dangerousIn(page: Page): Promise<unknown> {
    return page.evaluate(`(() => {
      const within = [...document.querySelectorAll('main *')]
      return {
        elements: within.filter((e) => /^(script|img|iframe|object|embed|style|svg|base)$/i.test(e.localName)).length,
        handlers: within.flatMap((e) => e.getAttributeNames()).filter((name) => name.startsWith('on')).length,
        links: within.filter((e) => e.href && !/^https?:/.test(e.href)).map((e) => e.href),
        title: /owned/.test(document.title) && !document.title.includes('<'),
      }
    })()`)
  }
  const harmless = { elements: 0, handlers: 0, links: [], title: false }

  test('markup in questions, answers, sources, names and files stays text', async () => {
    const { page, window } = await world.person()
    const seen = watch(page)
    await page.goto('/projects')
    await page.getByLabel('Name').fill(`Project ${markup}`)
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.waitForURL(/\/projects\/proj_/)
    expect(await dangerousIn(page)).toEqual(harmless)
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: `<img src=x onerror=alert(1)>.md`,
      mimeType: 'text/html"><script>',
      buffer: Buffer.from(`# ${markup}\n\n[a](javascript:alert(1)) <iframe src="https://elsewhere.example">`),
    })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('The file has been uploaded').waitFor()
    expect(await dangerousIn(page)).toEqual(harmless)
    await page.locator('tbody a').click()
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>.md' }).waitFor()
    expect(await dangerousIn(page)).toEqual(harmless)

    await page.goBack()
    await page.getByRole('link', { name: 'Ask in this project' }).click()
    const held = gate()
    world.upstream.enqueue(
      callTools([{ name: 'read_source', arguments: { ref: 'The Hostile Book 1:1' } }]),
      callTools([{ name: 'search_sources', arguments: { query: markup } }]),
      [
        { text: `Live ${markup}\n\n` },
        { waitFor: held.opened },
        {
          text: `“Before <script>document.title = "owned"</script> and” [S1] [x](javascript:alert(1)) [y](data:text/html,x) ![z](https://elsewhere.example/z.png) <a href="javascript:alert(1)" onclick="alert(1)">w</a>

[1]: javascript:alert(1)

<https://example.org/"onmouseover="alert(1)>`,
        },
      ],
    )
    await ask(page, `Question ${markup}`)
    await page.locator('.draft').getByText('Live').waitFor()
    expect(await dangerousIn(page)).toEqual(harmless)
    held.open()
    await ended(page)
    for (const source of await page.locator('details.source summary').all()) await source.click()
    expect(await page.locator('.passage blockquote').first().textContent()).toContain('<script>')
    expect(await dangerousIn(page)).toEqual(harmless)
    expect(await page.locator('.answer .cite').first().getAttribute('href')).toMatch(/^#run_\w+-s1$/)
    await screenshot(page, 'hostile-conversation')

    await page.getByLabel('More actions').click()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name of the conversation').fill(`Title ${markup}`)
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('The conversation has been renamed').waitFor()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`Title ${markup}`)
    expect(await dangerousIn(page)).toEqual(harmless)
    const run = await page.locator('article.turn').getAttribute('id')
    for (const path of ['/ask', `/runs/${run}`, '/projects', `/ask?question=${encodeURIComponent(markup)}`]) {
      await page.goto(path)
      expect(await dangerousIn(page)).toEqual(harmless)
    }
    expect(seen).toEqual([])
    await window.close()
  })
})
