import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort, rows } from '../../support/full.ts'
import { useWorld } from '../../support/world/world.ts'
import { accessibilityFaults } from './quality.ts'
import { hasFocus, isInWindow } from './window-state.ts'

const world = useWorld({ browser: true, model: 'built-in', library: 'starter' })

describe.skipIf(!hasBrowser)('the frame of the pages, in a browser', () => {
  let page: Page

  beforeAll(async () => {
    page = (await world.person()).page
  })

  test('slash goes to the question, or to the search of a page', async () => {
    await page.goto('/ask')
    await page.locator('h1').first().waitFor()
    await page.locator('#question').blur()
    await page.keyboard.press('/')
    expect(await page.locator('#question').evaluate((field) => field.matches(':focus'))).toBe(true)
    // In a field it is a character.
    await page.keyboard.press('/')
    expect(await page.locator('#question').inputValue()).toBe('/')
    await page.goto('/library')
    await page.keyboard.press('/')
    expect(await page.locator('input[type="search"]').evaluate((field) => field.matches(':focus'))).toBe(true)
  })

  test('the skip link leads past the header: the next Tab is in the page', async () => {
    const { page, window } = await world.person()
    await page.goto('/library')
    await page.keyboard.press('Tab')
    expect(await hasFocus(page.getByRole('link', { name: 'Skip to the content' }))).toBe(true)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
    await window.close()
  })

  test('a question mark opens the shortcuts, and Escape returns the focus', async () => {
    await page.goto('/projects')
    await page.getByLabel('Name').focus()
    await page.keyboard.press('?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    const button = page.getByRole('button', { name: 'Keyboard shortcuts' })
    await button.focus()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await button.evaluate((element) => element.matches(':focus'))).toBe(true)
  })

  test('a wrong password keeps the deletion of the account open, with the reason in it', async () => {
    await page.goto('/settings/account')
    const opener = page.getByRole('button', { name: 'Delete the account…' })
    await opener.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Enter your password').fill('not my password')
    await dialog.getByRole('button', { name: 'Delete everything' }).click()
    await dialog.getByText('This is not your current password.').waitFor()
    expect(await dialog.getByLabel('Enter your password').isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    expect(await opener.evaluate((element) => element.matches(':focus'))).toBe(true)
  })

  test.skipIf(isShort)(
    'without scripts the deletion opens, and stays open after a wrong password',
    async () => {
      const window = await openWindow(world.browser, world.service, { scripts: false })
      await window.addCookies(await page.context().cookies())
      const plain = await window.newPage()
      await plain.goto('/settings/account')
      await plain.getByText('Delete the account…').click()
      await plain.getByLabel('Enter your password').fill('not my password')
      await plain.getByRole('button', { name: 'Delete everything' }).click()
      expect(await plain.getByText('This is not your current password.').isVisible()).toBe(true)
      expect(await plain.getByLabel('Enter your password').isVisible()).toBe(true)
      await window.close()
    },
  )

  test('colours change at once, and stay for the next page', async () => {
    await page.goto('/projects')
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.body.parentElement).backgroundColor')
    const light = await background()
    expect(await page.getByRole('button', { name: 'System' }).getAttribute('aria-pressed')).toBe('true')
    const kept = page.waitForResponse((response) => response.url().endsWith('/preferences'))
    await page.getByRole('button', { name: 'Dark' }).click()
    expect(await background()).not.toBe(light)
    expect(await page.getByRole('button', { name: 'Dark' }).getAttribute('aria-pressed')).toBe('true')
    await kept
    const dark = await background()
    await page.goto('/usage')
    expect(await background()).toBe(dark)
    await page.getByRole('button', { name: 'System' }).click()
    expect(await background()).toBe(light)
  })

  test('the page in Hebrew mirrors the layout, and the switch leads back to the same page', async () => {
    await page.goto('/usage?period=7')
    const brand = () => page.locator('.brand').boundingBox()
    const left = (await brand())?.x ?? 0
    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('button', { name: 'עברית' }).click()
    await page.waitForURL('**/usage?period=7')
    await page.getByRole('heading', { name: 'שימוש', level: 1 }).waitFor()
    expect((await brand())?.x ?? 0).toBeGreaterThan(left + 600)
    await page.getByRole('button', { name: 'תפריט החשבון' }).click()
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
  })

  test('the place on a page is kept when the language changes', async () => {
    await page.goto('/library/read/Concepts%20of%20Chassidut%2C%20Bitul%201')
    const place = `#${await page.locator('.segment').last().getAttribute('id')}`
    await page.goto(`${page.url()}?from=search${place}`)
    const address = page.url()
    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('button', { name: 'עברית' }).click()
    await page.locator('html[lang=he]').waitFor()
    expect(page.url()).toBe(address)
    expect(await isInWindow(page.locator('.segment:target').locator('.ref-line'))).toBe(true)
    await page.context().clearCookies({ name: 'language' })
  })

  test("times are in the reader's zone, with the time in UTC as their tooltip", async () => {
    const timezoneId = 'Pacific/Kiritimati'
    const window = await world.browser.newContext({
      baseURL: world.service.url,
      timezoneId,
      locale: 'en-GB',
    })
    await window.addCookies((await page.context().cookies()).filter(({ name }) => name !== 'zone'))
    const far = await window.newPage()
    await far.goto('/usage')
    await far.goto('/settings/account')
    const time = far.locator('main time').first()
    const at = new Date((await time.getAttribute('datetime')) ?? '')
    const text = (timeZone: string) =>
      new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at)
    expect(await time.textContent()).toBe(text(timezoneId))
    expect(await time.getAttribute('title')).toBe(`${text('UTC')} UTC`)
    await window.close()
  })

  test('the account menu opens and closes by keyboard without scripts, below its button', async () => {
    const window = await openWindow(world.browser, world.service, { scripts: false })
    await window.addCookies(await page.context().cookies())
    const plain = await window.newPage()
    const open = async (plain: Page) => {
      await plain.locator('.account-button').focus()
      await plain.keyboard.press('Enter')
      await plain.locator('#account').waitFor()
    }
    await plain.goto('/usage')
    await open(plain)
    await plain.keyboard.press('Tab')
    expect(await hasFocus(plain.getByRole('link', { name: 'Usage' }))).toBe(true)
    await plain.keyboard.press('Escape')
    await plain.locator('#account').waitFor({ state: 'hidden' })
    expect(await hasFocus(plain.locator('.account-button'))).toBe(true)
    await window.close()
  })

  test.each(rows([320], [390, 640]))(
    'the header has one row in a window of %s px, in both languages',
    async (width) => {
      for (const language of ['he', 'en']) {
        await page.context().addCookies([{ name: 'language', value: language, url: world.service.url }])
        await page.setViewportSize({ width, height: 568 })
        await page.goto('/library')
        expect((await page.locator('header').boundingBox())?.height).toBeLessThan(60)
        await page.locator('.account-button').click()
        const [button, menu] = [
          await page.locator('.account-button').boundingBox(),
          await page.locator('#account').boundingBox(),
        ]
        expect(menu?.y).toBeGreaterThanOrEqual((button?.y ?? 0) + (button?.height ?? 0))
        expect(menu?.x).toBeGreaterThan(0)
        expect((menu?.x ?? 0) + (menu?.width ?? width)).toBeLessThan(width)
        expect(await accessibilityFaults(page, `account-menu-${language}-${width}`)).toEqual([])
      }
    },
  )
})

describe.skipIf(!hasBrowser)('typography, in a browser', () => {
  let page: Page

  beforeAll(async () => {
    page = await (await openWindow(world.browser, world.service)).newPage()
    await page.goto('/signin')
    await page.evaluate(`{
        const sample = document.createElement('p')
        sample.id = 'sample'
        sample.className = 'text'
        sample.style.fontSize = '100px'
        sample.style.whiteSpace = 'pre'
        document.querySelector('main').replaceChildren(sample)
      }`)
    await page.evaluate(`document.fonts.ready`)
  })

  /** Width in pixels of the character at `at`, in text set at 100 px. */
  const widthAt = (text: string, at: number) =>
    page.evaluate<number>(`(async () => {
        const sample = document.getElementById('sample')
        sample.textContent = ${JSON.stringify(text)}
        await document.fonts.ready
        const range = document.createRange()
        range.setStart(sample.firstChild, ${at})
        range.setEnd(sample.firstChild, ${at + 1})
        return range.getBoundingClientRect().width
      })()`)

  test.each([...'wyvAVTWYjo'])('the word space before %s is as wide as before n', async (letter) => {
    const plain = await widthAt('n nn', 1)
    expect(plain).toBeGreaterThan(15)
    expect(await widthAt(`n ${letter}n`, 1)).toBeCloseTo(plain, 0)
    expect(await widthAt(`${letter} nn`, 1)).toBeCloseTo(plain, 0)
  })

  test('letters are still kerned with each other', async () => {
    expect(await widthAt('AVA', 0)).toBeLessThan((await widthAt('AHA', 0)) - 2)
  })

  test('Latin and Hebrew letters of a line stand on one baseline', async () => {
    const baselines = await page.evaluate<number[]>(`['in whom', 'בינוני'].map((text) => {
        const line = document.createElement('p')
        line.className = 'text'
        line.append(text)
        const mark = document.createElement('span')
        mark.style.cssText = 'display:inline-block;inline-size:1px;block-size:1px'
        line.append(mark)
        document.querySelector('main').replaceChildren(line)
        return mark.getBoundingClientRect().bottom - line.getBoundingClientRect().top
      })`)
    expect(baselines[0]).toBeCloseTo(baselines[1] ?? 0, 0)
  })
})
