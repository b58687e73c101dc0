import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { useWorld } from '../../support/world/world.ts'
import { gateBook } from './gate-book.ts'
import { inAllLooks } from './quality.ts'
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
  const world = useWorld({ browser: true, library: gateBook })

  test('a file with a Hebrew name is uploaded, read, renamed, downloaded and deleted', async () => {
    const { page, leave } = await world.person()
    await page.goto('/projects')
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
})
