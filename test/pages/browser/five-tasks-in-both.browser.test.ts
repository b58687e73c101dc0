import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { textsIn } from '../../../src/web/texts/catalogue.ts'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort, rows } from '../../support/full.ts'
import { useWorld } from '../../support/world/world.ts'
import { hasFocus, tabTo } from './window-state.ts'

const questions = { en: 'What is bitul?', he: 'מהו ביטול?' } as const
const words = { en: 'bitul', he: 'ביטול' } as const

/** Collects what comes to live regions after a page was loaded: only that is announced. */
const listen = `globalThis.said = []
addEventListener('DOMContentLoaded', () => new MutationObserver((records) => {
  for (const { target } of records) {
    const around = target.parentElement?.closest?.('[aria-live], [role=status], [role=alert]') ?? target
    const region = around.closest?.('[aria-live], [role=status], [role=alert]')
    if (region) globalThis.said.push(region.textContent)
  }
}).observe(document.body, { childList: true, characterData: true, subtree: true }))`

/** What screen readers say of the element with the focus: its role, its name and its description. */
async function focused(page: Page): Promise<string> {
  type Said = { readonly value?: unknown } | undefined
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', { expression: 'document.activeElement' })
  const { nodes } = await session.send('Accessibility.getPartialAXTree', {
    objectId: result.objectId ?? '',
    fetchRelatives: false,
  })
  await session.detach()
  const [{ role, name, description } = {}] = nodes as readonly {
    role?: Said
    name?: Said
    description?: Said
  }[]
  return [role, name, description].map((one) => String(one?.value ?? '')).join('|')
}

/** Roles of what can have the focus and has no name for screen readers. */
async function nameless(page: Page): Promise<readonly string[]> {
  type Value = { readonly value?: unknown }
  type Node = { role?: Value; name?: Value; properties?: readonly { name: string; value: Value }[] }
  const session = await page.context().newCDPSession(page)
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: readonly Node[] }
  await session.detach()
  return (
    nodes
      .filter(({ properties = [] }) =>
        properties.some(({ name, value }) => name === 'focusable' && value.value),
      )
      .filter(({ name }) => String(name?.value ?? '').trim() === '')
      .map(({ role }) => String(role?.value))
      // The target of the skip link is the one of its kind, and Tab does not stop there.
      .filter((role) => role !== 'RootWebArea' && role !== 'main')
  )
}

describe.skipIf(!hasBrowser).each(rows(['he'] as const, ['en'] as const))(
  'five tasks by keyboard alone, in %s',
  (language) => {
    const t = textsIn(language)
    const world = useWorld({ browser: true, model: 'built-in', library: 'starter' })
    let page: Page

    beforeAll(async () => {
      const window = await openWindow(world.browser, world.service)
      await window.addCookies([{ name: 'language', value: language, domain: '127.0.0.1', path: '/' }])
      await window.addInitScript(listen)
      page = await window.newPage()
      await page.goto('/signup')
    })

    const press = async (target: Locator, key = 'Enter') => {
      await tabTo(page, target)
      await page.keyboard.press(key)
    }
    const type = async (label: string, text: string) => {
      await tabTo(page, page.getByLabel(label).first())
      await page.keyboard.type(text)
    }
    const link = (name: string) => page.getByRole('link', { name, exact: true }).first()
    const button = (name: string) => page.getByRole('button', { name, exact: true }).first()
    const said = (text: string) =>
      expect.poll(() => page.evaluate<readonly string[]>('globalThis.said')).toContain(text)

    test('signing up and creating a key', async () => {
      await type(t.common.email, `keys-${language}@example.org`)
      await type(t.common.password, 'four unrelated words here')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/ask')
      await press(button(t.frame.account))
      await press(link(t.frame.settings))
      await press(link(t.keys.newKey))
      await type(t.common.name, 'Website')
      expect(await nameless(page)).toEqual([])
      await press(button(t.keys.create))
      await press(button(t.common.copyWhat(t.keys.theKey)))
      expect(await nameless(page)).toEqual([])
      await press(link(t.keys.copied))
      await page.getByRole('rowheader', { name: 'Website' }).waitFor()
    })

    test('asking and opening a source of the answer', async () => {
      await press(link(t.frame.ask))
      await page.waitForURL('**/ask')
      await expect.poll(() => hasFocus(page.locator('#question'))).toBe(true)
      await page.keyboard.type(questions[language])
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/sessions\//)
      await page
        .locator('#announcement', { hasText: t.answers.ends['run.completed'] })
        .waitFor({ state: 'attached' })
      expect(await nameless(page)).toEqual([])
      await press(
        page
          .locator('.answer')
          .getByRole('link', { name: t.answers.citation(1) })
          .first(),
      )
      await page.locator('.source-card .passage').first().waitFor()
      await press(page.locator('details.source > summary').first())
      await page.locator('.source-card .passage').first().waitFor({ state: 'hidden' })
    })

    test.skipIf(isShort)('searching, narrowing the hits, and keeping a bookmark and a note', async () => {
      await press(link(t.frame.library))
      await page.waitForURL('**/library')
      await page.keyboard.press('/')
      await page.keyboard.type(words[language])
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/library\/search/)
      await press(page.locator('.facets a').first())
      await page.waitForURL(/[?&](work|author|category)=/)
      await press(page.locator('.hit h3 a').first())
      await tabTo(page, page.locator('.chapter-nav summary'))
      expect(await focused(page)).toMatch(new RegExp(`^DisclosureTriangle\\|${t.reader.chapters}: [^▾]+\\|`))
      await press(page.locator('a[data-passage]').first())
      await page.locator('aside.panel').waitFor()
      expect(await nameless(page)).toEqual([])
      await press(button(t.reader.bookmarkOn))
      await said(t.reader.done.marked)
      expect(await hasFocus(button(t.reader.bookmarkOff))).toBe(true)
      await type(t.reader.note, 'Read again')
      await press(button(t.reader.saveNote))
      await said(t.reader.done.noted)
      expect(await hasFocus(button(t.reader.saveNote))).toBe(true)
      await page.keyboard.press('Escape')
      expect(await hasFocus(page.locator('a[data-passage]').first())).toBe(true)
    })

    test.skipIf(isShort)('building a sheet, changing its order and downloading it as PDF', async () => {
      await press(link(t.frame.sheets))
      await type(t.sheets.title, 'Lamps')
      await page.keyboard.press('Enter')
      for (const [at, ref] of [
        'Concepts of Chassidut, Bitul 1',
        'Practices of Chassidut, Mikveh 1',
      ].entries()) {
        await type(t.sheets.addPassage, ref)
        await page.keyboard.press('Enter')
        await page.locator('[data-entry]').nth(at).waitFor()
        await said(t.sheets.done.added)
      }
      expect(await nameless(page)).toEqual([])
      await press(page.locator('button[value^="up:"]').last())
      await page.getByText(t.sheets.live.moved.replace('{place}', '1').replace('{all}', '2')).waitFor()
      await press(page.locator('.sheet-bar summary'))
      const file = page.waitForEvent('download')
      await press(link(t.sheets.formats.pdf))
      expect((await file).suggestedFilename()).toBe('Lamps.pdf')
    })

    test('revoking a key, which a second Enter alone does not do', async () => {
      await press(button(t.frame.account))
      await press(link(t.frame.settings))
      await tabTo(page, button(t.keys.revoke))
      expect(await focused(page)).toBe(`button|${t.keys.revoke}|Website`)
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: t.keys.revoke })
      await dialog.waitFor()
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'hidden' })
      expect(await hasFocus(button(t.keys.revoke))).toBe(true)
      await page.keyboard.press('Enter')
      expect(await dialog.getAttribute('aria-describedby')).not.toBeNull()
      await press(button(t.keys.revokeConfirm))
      await said(t.keys.done.revoked)
      await page.getByText(t.keys.states.revoked, { exact: true }).waitFor()
    })

    test.skipIf(isShort)('choosing dark colours and deleting the account', async () => {
      await press(button(t.frame.themes.dark))
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
      await press(link(t.account.accountTab))
      await press(button(t.account.deleteDots))
      expect(await nameless(page)).toEqual([])
      await page.keyboard.type('four unrelated words here')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/signin\?done=deleted/)
    })
  },
)
