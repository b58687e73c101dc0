import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { reply } from '../../support/scripted-upstream.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { ask } from './conversation-page.ts'
import { gateBook } from './gate-book.ts'
import { accessibilityFaults } from './quality.ts'

describe.skipIf(!hasBrowser)('what a question is asked in and of', () => {
  let folder: string
  let world: BrowserWorld

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'models-'))
    const catalogueFile = join(folder, 'models.json')
    await writeFile(catalogueFile, JSON.stringify({ models: [{ id: 'quoting' }] }))
    world = await openWorld({ browser: true, library: gateBook, model: { catalogueFile } })
  })
  afterAll(async () => {
    await world?.close()
    await rm(folder, { recursive: true, force: true })
  })

  test.skipIf(isShort)('a model, a project, and a conversation to go on with can be chosen', async () => {
    const { page, window } = await world.person()
    await page.goto('/projects')
    await page.getByLabel('Name').fill('Shabbat')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.waitForURL(/\/projects\/proj_/)

    await page.goto('/ask')
    expect(await page.getByLabel('Model').locator('option').allTextContents()).toEqual(['service', 'quoting'])
    await page.getByLabel('Project').selectOption('Shabbat')
    await page.getByLabel('Model').selectOption('quoting')
    await ask(page, 'What does a small lamp do in a dark room?')
    await page.locator('.turn-foot').waitFor()
    expect(await page.locator('.crumb').textContent()).toBe('Shabbat')
    expect(await page.locator('.answer').textContent()).toContain('This library only quotes passages.')
    expect(world.upstream.requests.length).toBe(0)

    await page.goto('/ask')
    expect(await accessibilityFaults(page, 'ask-choices')).toEqual([])
    world.upstream.enqueue(reply('It shines.'))
    await page
      .getByRole('navigation', { name: 'Conversations' })
      .getByRole('listitem')
      .getByRole('link')
      .click()
    await page.waitForURL(/\/sessions\//)
    // The box is one line until it has the focus.
    await page.getByLabel('Your question').focus()
    await page.getByLabel('Model').selectOption('service')
    await ask(page, 'And in a word?')
    await page.getByText('It shines.').waitFor()
    await page.locator('.turn-foot').nth(1).waitFor()
    expect(await page.locator('article.turn').count()).toBe(2)
    await page.goto('/projects')
    expect(await page.locator('.rows li').count()).toBe(1)
    await window.close()
  })
})
