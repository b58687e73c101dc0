import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { callTools, gate, reply } from '../../support/scripted-upstream.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { ask, ended } from './conversation-page.ts'
import { gateBook } from './gate-book.ts'
import { screenshot } from './screenshots.ts'

const markup = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`

describe.skipIf(!hasBrowser)('texts that strangers wrote, and pages of other people', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true, library: gateBook })
    // No import takes such an address now; a library may have it from a former one.
    await world.rows(`update versions set source_url = 'javascript:alert(1)'
      where work_id = (select id from works where title = 'The Hostile Book')`)
  })
  afterAll(async () => {
    await world?.close()
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

  test.skipIf(isShort)('what belongs to somebody else is not there, whatever is asked of it', async () => {
    const owner = await world.person()
    world.upstream.enqueue(reply('A secret answer.'))
    await ask(owner.page, 'A secret question?')
    await ended(owner.page)
    const session = new URL(owner.page.url()).pathname
    const run = `/runs/${await owner.page.locator('article.turn').getAttribute('id')}`
    const project = (await owner.page.locator('.crumb a').getAttribute('href')) ?? ''
    await owner.page.goto(project)
    await owner.page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'secret.txt', mimeType: 'text/plain', buffer: Buffer.from('secret') })
    await owner.page.getByRole('button', { name: 'Upload' }).click()
    const file = (await owner.page.getByRole('link', { name: 'secret.txt' }).getAttribute('href')) ?? ''

    const other = await world.person()
    const reads = [session, run, `${run}/events`, `${run}/turn`, project, file, `${file}/content`]
    const writes = [
      ...[`${session}/rename`, `${session}/delete`, `${run}/cancel`, `${file}/rename`, `${file}/delete`],
      `${project}/files`,
    ]
    const own = { 'sec-fetch-site': 'same-origin' }
    for (const path of reads) {
      const answer = await other.page.request.get(path)
      expect([path, answer.status()]).toEqual([path, 404])
      expect(await answer.text()).not.toContain('secret')
    }
    for (const path of writes) {
      const send = path.endsWith('/files')
        ? { multipart: { file: { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') } } }
        : { form: { name: 'mine now' } }
      const answer = await other.page.request.post(path, { ...send, headers: own, maxRedirects: 0 })
      expect([path, answer.status()]).toEqual([path, 404])
    }
    const question = { form: 'req_1', model: 'service', question: 'Mine?' }
    for (const place of [
      { session: session.slice('/sessions/'.length) },
      { project: project.slice('/projects/'.length) },
    ]) {
      const answer = await other.page.request.post('/ask', { form: { ...question, ...place }, headers: own })
      expect(answer.status()).toBe(404)
    }
    for (const path of ['/ask', '/projects']) {
      await other.page.goto(path)
      expect(await other.page.locator('main').textContent()).not.toContain('secret')
    }
    // Odd ids name nothing, and no page of nobody is shown to those who have not signed in.
    for (const path of ['/sessions/%00', '/runs/x%00y', '/files/%F0%9F%98%80', '/projects/..%2F..']) {
      expect([path, (await other.page.request.get(path)).status()]).toEqual([path, 404])
    }
    await owner.page.goto(session)
    expect(await owner.page.getByRole('heading', { level: 1 }).textContent()).toBe('A secret question?')
    await Promise.all([owner.window.close(), other.window.close()])
  })
})
