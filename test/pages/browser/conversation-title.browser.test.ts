import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { useWorld } from '../../support/world/world.ts'
import { ask, ended } from './conversation-page.ts'
import { faultsInLooks, watchShifts } from './every-look.ts'
import { gateBook } from './gate-book.ts'
import { everyLook } from './looks.ts'

/** Longer than the name that is made from it. */
const question =
  'What does the Gate say about a small lamp that is carried into a dark room, and why does it not argue with the darkness?'

describe.skipIf(!hasBrowser)('the title of a conversation', () => {
  let page: Page
  let conversation = ''

  const world = useWorld({ browser: true, model: 'built-in', library: gateBook })
  beforeAll(async () => {
    const person = await world.person()
    page = person.page
    await watchShifts(person.window)
    await ask(page, question)
    await ended(page)
    conversation = new URL(page.url()).pathname
  })

  const inEnglish = (path: string) =>
    page
      .context()
      .addCookies([{ name: 'language', value: 'en', domain: '127.0.0.1', path: '/' }])
      .then(() => page.goto(path))
  const title = () => page.getByRole('heading', { level: 1 })

  test('is its first question, which stands on the page once', async () => {
    expect(await faultsInLooks(page, conversation, everyLook, { name: 'conversation-title' })).toEqual([])
    await inEnglish(conversation)
    const name = (await title().textContent()) ?? ''
    expect(question.startsWith(name.replace(/…$/, ''))).toBe(true)
    expect((await title().boundingBox())?.height).toBeLessThan(2)
    const size = await page.evaluate(
      `parseFloat(getComputedStyle(document.querySelector('.question')).fontSize)`,
    )
    expect(size).toBeGreaterThan(18)
  })

  test.skipIf(isShort)('is that of readers with a public link too', async () => {
    await inEnglish(conversation)
    const { id } = await world.row<{ id: string }>('select id from sessions')
    await page.request.post(`/sessions/${id}/share`, { headers: { 'sec-fetch-site': 'same-origin' } })
    await page.goto(conversation)
    await inEnglish(new URL(await page.locator('#share-link').inputValue()).pathname)
    expect((await title().boundingBox())?.height).toBeLessThan(2)
    expect(await page.locator('.question').textContent()).toBe(question)
  })

  test.skipIf(isShort)(
    'is shown in the branch of a later question, whose turns have names of their own',
    async () => {
      await inEnglish(conversation)
      await page.getByLabel('Your question').fill('Who counts his good deeds?')
      await page.getByRole('button', { name: 'Ask', exact: true }).click()
      await page.locator('article.turn').nth(1).getByText('How this was found').waitFor()
      await page.getByRole('button', { name: 'Regenerate' }).last().click()
      await page.waitForURL((url) => url.pathname !== conversation)
      await ended(page)
      const branch = new URL(page.url()).pathname
      expect(await faultsInLooks(page, branch, everyLook, { name: 'conversation-branch' })).toEqual([])
      await inEnglish(branch)
      expect((await title().boundingBox())?.height).toBeGreaterThan(20)
      expect(await page.getByRole('article').evaluateAll((all) => all.length)).toBe(2)
      await page.getByRole('article', { name: 'Question 1, before this branch' }).waitFor()
    },
  )

  test('is the name that somebody gave it', async () => {
    await inEnglish(conversation)
    await page.getByLabel('More actions').click()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name of the conversation').fill('Lamps')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Lamps', level: 1 }).waitFor()
    expect((await title().boundingBox())?.height).toBeGreaterThan(20)
  })
})
