import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { gateBook } from './gate-book.ts'
import { inAllLooks, inMoreLooks } from './quality.ts'
import { screenshot } from './screenshots.ts'

/** The smallest PNG: one red point. */
const redPoint = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

const notes = `# דברי חיזוק

> אין שום ייאוש בעולם כלל

English beside it, <b>not bold</b> <script>document.title = 'owned'</script> [click](javascript:alert(1)) ![x](https://elsewhere.example/x.png)
`

describe.skipIf(!hasBrowser)('projects and files in the pages', () => {
  let world: BrowserWorld

  beforeAll(async () => {
    world = await openWorld({ browser: true, library: gateBook })
  })
  afterAll(async () => {
    await world?.close()
  })

  test.skipIf(isShort)(
    'a project is renamed and deleted with what is in it, after a second question',
    async () => {
      const { page, leave } = await world.person()
      await page.goto('/projects')
      await page.getByLabel('Name').fill('Old name')
      await page.getByRole('button', { name: 'Create project' }).click()
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
      await page.getByRole('button', { name: 'Upload' }).click()
      await page.getByLabel('Name').fill('שם חדש')
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('heading', { name: 'שם חדש' }).waitFor()
      const path = new URL(page.url()).pathname
      await page.getByText('Delete the project…').click()
      expect(await inAllLooks(page, 'project-delete')).toEqual([])
      await page.getByRole('button', { name: 'Delete everything in it' }).click()
      await page.getByText('The project has been deleted').waitFor()
      await screenshot(page, 'project-deleted')
      expect((await page.goto(path))?.status()).toBe(404)
      await leave()
    },
  )

  test('a file with a Hebrew name is uploaded, read, renamed, downloaded and deleted', async () => {
    const { page, leave } = await world.person()
    await page.goto('/projects')
    expect(await inMoreLooks(page, 'projects-empty')).toEqual([])
    await page.getByLabel('Name').fill('לימוד בשבת')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('heading', { name: 'לימוד בשבת' }).waitFor()
    await screenshot(page, 'project-empty')
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'הערות לתניא.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from(notes),
    })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('The file has been uploaded').waitFor()
    expect(await inMoreLooks(page, 'project')).toEqual([])

    await page.getByRole('link', { name: 'הערות לתניא.md' }).click()
    const preview = page.locator('.preview')
    expect(await preview.locator('blockquote').getAttribute('lang')).toBe('he')
    expect(await preview.textContent()).toContain('<b>not bold</b> <script>')
    expect(await preview.locator('script, b, img').count()).toBe(0)
    expect(await preview.locator('a').count()).toBe(0)
    expect(await page.title()).not.toBe('owned')
    expect(await inAllLooks(page, 'file')).toEqual([])

    await page.getByLabel('Name').fill('סיכום.md')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByText('The file has been renamed').waitFor()
    await page.getByRole('heading', { name: 'סיכום.md' }).waitFor()

    const coming = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download', exact: true }).click()
    const download = await coming
    expect(download.suggestedFilename()).toBe('סיכום.md')
    expect(await readFile(await download.path(), 'utf8')).toBe(notes)

    await page.getByText('Delete the file…').click()
    await page.getByRole('button', { name: 'Yes, delete it' }).click()
    await page.getByText('The file has been deleted').waitFor()
    expect(await page.getByText('No files yet').count()).toBe(1)
    await leave()
  })

  test('images are shown; active content is shown as text or downloaded', async () => {
    const { page, leave } = await world.person()
    await page.goto('/projects')
    await page.getByLabel('Name').fill('Pictures')
    await page.getByRole('button', { name: 'Create project' }).click()
    const project = page.url()
    const upload = async (name: string, mimeType: string, buffer: Buffer) => {
      await page.goto(project)
      await page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType, buffer })
      await page.getByRole('button', { name: 'Upload' }).click()
      await page.getByText(/The (file|image) has been uploaded/).waitFor()
      await page.getByRole('link', { name }).click()
      await page.getByRole('heading', { name }).waitFor()
    }
    await upload('point.png', 'image/png', redPoint)
    const drawn = async () => {
      await page.waitForLoadState('load')
      return page
        .locator('.preview img')
        .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)
    }
    expect(await drawn()).toBe(1)

    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>document.title='owned'</script></svg>`
    await upload('drawing.svg', 'image/svg+xml', Buffer.from(svg))
    expect(await page.locator('.preview img, main svg').count()).toBe(0)
    const response = await page.request.get(`${page.url().split('?')[0]}/content`)
    expect(response.headers()).toMatchObject({
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    })
    expect(response.headers()['content-disposition']).toMatch(/^attachment/)

    if (!isShort) {
      const html = `<h1>Hi</h1><script>document.title='owned'</script>`
      await upload('page.html', 'text/html', Buffer.from(html))
      expect(await page.locator('.preview h1, .preview script').count()).toBe(0)
    }
    // A page that says it is an image is no image: nothing is drawn, and nothing runs.
    await upload('lie.png', 'image/png', Buffer.from(`<script>document.title='owned'</script>`))
    expect(await drawn()).toBe(0)
    expect(await page.title()).toContain('lie.png')
    await leave()
  })

  test.skipIf(isShort)(
    'an upload that cannot be read says so, with the reason, and not that answers read it',
    async () => {
      const { page, leave } = await world.person()
      await page.goto('/projects')
      await page.getByLabel('Name').fill('Scans')
      await page.getByRole('button', { name: 'Create project' }).click()
      await page.getByLabel('File', { exact: true }).setInputFiles({
        name: 'letter.rtf',
        mimeType: 'application/rtf',
        buffer: Buffer.from('{\\rtf1 shalom}'),
      })
      await page.getByRole('button', { name: 'Upload' }).click()
      await page.getByText('The file has been uploaded, but answers cannot read it.').waitFor()
      expect(await page.getByText('It is an RTF document. Save it as DOCX.').count()).toBe(1)
      expect(await page.getByText('can read and quote').count()).toBe(0)
      await leave()
    },
  )

  test.skipIf(isShort)(
    'a name that the project has makes a new version of its file, and the old one stays',
    async () => {
      const { page, leave } = await world.person()
      await page.goto('/projects')
      await page.getByLabel('Name').fill('Drafts')
      await page.getByRole('button', { name: 'Create project' }).click()
      for (const [text, said] of [
        ['first', 'Answers in this project can read'],
        ['second', 'as a new version'],
      ] as const) {
        await page
          .getByLabel('File', { exact: true })
          .setInputFiles({ name: 'draft.txt', mimeType: 'text/plain', buffer: Buffer.from(text) })
        await page.getByRole('button', { name: 'Upload' }).click()
        await page.getByText(said).waitFor()
      }
      expect(await page.getByRole('link', { name: 'draft.txt' }).count()).toBe(1)
      await page.getByRole('link', { name: 'draft.txt' }).click()
      expect(await page.locator('.preview').textContent()).toBe('second')
      const old = await page.getByRole('link', { name: 'Download version 1' }).getAttribute('href')
      expect(await (await page.request.get(old ?? '')).text()).toBe('first')
      await leave()
    },
  )

  test.skipIf(isShort)(
    'what is wrong with an upload or a name is said in words beside the form',
    async () => {
      const { page, leave } = await world.person()
      await page.goto('/projects')
      await page.getByLabel('Name').fill('   ')
      await page.getByRole('button', { name: 'Create project' }).click()
      await page.getByText('Enter a name for the project.').waitFor()
      await page.getByLabel('Name').fill('Texts')
      await page.getByRole('button', { name: 'Create project' }).click()
      await page.waitForURL(/\/projects\/proj_/)
      const project = page.url()
      for (const name of ['one.txt', 'two.txt']) {
        await page.goto(project)
        await page
          .getByLabel('File', { exact: true })
          .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('א') })
        await page.getByRole('button', { name: 'Upload' }).click()
        await page.getByText('The file has been uploaded').waitFor()
      }
      await page.getByRole('link', { name: 'one.txt' }).click()
      await page.getByLabel('Name').fill('two.txt')
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByText('A file "two.txt" exists already.').waitFor()
      await page.goto(project)
      const tooLarge = Buffer.alloc(10 * 1024 * 1024 + 1, 'a')
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'large.txt', mimeType: 'text/plain', buffer: tooLarge })
      await page.getByRole('button', { name: 'Upload' }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.getByRole('alert').textContent()).toBe(
        'The plan "free" allows files of at most 10 MB. Choose a smaller file.',
      )
      await screenshot(page, 'project-refused')
      await leave()
    },
  )
})
