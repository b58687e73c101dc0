import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import type { Person } from '../../support/world/people.ts'
import { useWorld } from '../../support/world/world.ts'
import { importOwnTexts } from './own-texts.ts'
import { inAllLooks } from './quality.ts'
import { hasFocus } from './window-state.ts'

const chapter = `/library/read/${encodeURIComponent('The Lamp, Part I; On Lamps 1')}`
const refs = ['The Lamp, Part I; On Lamps 1:1', 'The Lamp, Part I; On Lamps 1:2', 'The Wall, North 1']

describe.skipIf(!hasBrowser)('source sheets in a browser', () => {
  const world = useWorld({ browser: true, model: 'built-in' })
  beforeAll(async () => {
    await importOwnTexts(world.db.database)
  })

  const order = (page: Page) =>
    page
      .locator('.sheet-entry')
      .evaluateAll((entries) =>
        entries.map(
          (entry) => entry.querySelector('.entry-ref')?.textContent ?? entry.querySelector('textarea')?.value,
        ),
      )
  const saved = (page: Page) => page.locator('.sheet-state').getByText('All changes saved').waitFor()

  /** A sheet with three passages, opened in the editor by somebody new. */
  async function openSheet(title: string): Promise<Person> {
    const person = await world.person()
    const { page } = person
    const send = async (path: string, form: Record<string, string>) => {
      const sent = { form, maxRedirects: 0, headers: { 'sec-fetch-site': 'same-origin' } }
      const { location = '' } = (await page.request.post(path, sent)).headers()
      return new URL(location, page.url()).pathname
    }
    const path = await send('/sheets', { title })
    const sheet = path.split('/').at(-1) ?? ''
    for (const ref of refs) await send('/sheets/add', { ref, sheet })
    await page.goto(path)
    return person
  }

  test('a sheet is written, moved by buttons and keys, and saved without a reload', async () => {
    const { page, leave } = await openSheet('על הנר')
    expect(await order(page)).toEqual(refs)
    await page.getByRole('button', { name: `Move down: ${refs[0]}` }).click()
    await page.getByText('Moved to place 2 of 3').waitFor()
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
      `Move down: ${refs[0]}`,
    )
    await page.getByLabel(`Heading: ${refs[2]}`).fill('The wall')
    await saved(page)
    await page.getByLabel(`Heading: ${refs[2]}`).press('Alt+ArrowUp')
    await page.getByText('Moved to place 2 of 3').waitFor()
    await page.reload()
    expect(await order(page)).toEqual([refs[1], refs[2], refs[0]])
    expect(await page.getByLabel(`Heading: ${refs[2]}`).inputValue()).toBe('The wall')
    await leave()
  })

  test.skipIf(isShort)('an entry is dragged to another place with the pointer', async () => {
    const { page, leave } = await openSheet('Dragged')
    const handle = await page.locator('.drag').last().boundingBox()
    if (!handle) throw new Error('there is no handle')
    await page.locator('.drag').last().hover()
    await page.mouse.down()
    const top = await page.locator('.sheet-entry').first().boundingBox()
    await page.mouse.move(handle.x, (top?.y ?? 0) + 2, { steps: 8 })
    await page.mouse.up()
    await page.getByText('Moved to place 1 of 3').waitFor()
    await page.reload()
    expect(await order(page)).toEqual([refs[2], refs[0], refs[1]])
    await leave()
  })

  test.skipIf(isShort)('a removed entry can be put back, and is gone when the page is left', async () => {
    const { page, leave } = await openSheet('Removed')
    await page.getByRole('button', { name: `Remove: ${refs[1]}` }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await order(page)).toEqual(refs)
    await page.getByRole('button', { name: `Remove: ${refs[1]}` }).click()
    await page.getByRole('link', { name: 'Preview' }).click()
    await page.getByRole('heading', { name: 'Removed', level: 1 }).waitFor()
    await expect
      .poll(async () => {
        await page.goto(page.url().replace(/\/preview$/, ''))
        return order(page)
      })
      .toEqual([refs[0], refs[2]])
    await leave()
  })

  test.skipIf(isShort)(
    'a note between passages and the language of a passage show in the preview',
    async () => {
      const { page, leave } = await openSheet('Preview')
      await page.locator('.sheet-entry').first().getByRole('button', { name: 'Add a note below' }).click()
      await page.waitForURL(/#entry-/, { waitUntil: 'load' })
      await expect.poll(() => hasFocus(page.locator('.sheet-entry.note textarea'))).toBe(true)
      await page.locator('textarea[name^="text-"]').fill('לָמָּה נֵר קָטָן?')
      await saved(page)
      const second = page.locator('.sheet-entry').nth(2)
      await second.getByText('Languages and versions').click()
      await second.getByLabel('Languages').selectOption('he')
      await expect.poll(() => second.locator('.text[lang="en"]').count()).toBe(0)
      await page.getByRole('link', { name: 'Preview' }).click()
      await page.locator('.sheet-note').waitFor()
      expect(await page.locator('.sheet-source').nth(1).locator('.text').count()).toBe(1)
      await page.emulateMedia({ media: 'print' })
      expect(await page.locator('.sheet-bar').isVisible()).toBe(false)
      await page.emulateMedia({ media: null })
      await leave()
    },
  )

  test.skipIf(isShort)(
    'a passage of the reader is added to a sheet in a dialog, by keyboard alone',
    async () => {
      const { page, leave } = await openSheet('From the reader')
      await page.goto(chapter)
      const button = page.getByRole('link', { name: `Add to sheet: ${refs[1]}` })
      await button.focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('heading', { name: 'Add to a source sheet' }).waitFor()
      expect(await inAllLooks(page, 'add-to-sheet')).toEqual([])
      await page.keyboard.press('Escape')
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
        `Add to sheet: ${refs[1]}`,
      )
      await page.keyboard.press('Enter')
      await dialog.locator('select[name="sheet"]').selectOption({ label: 'A new sheet' })
      await dialog.getByLabel('Title of the new sheet').fill('Second sheet')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'Second sheet' }).click()
      await page.locator('.entry-ref').waitFor()
      expect(await order(page)).toEqual([refs[1]])
      await leave()
    },
  )
})
