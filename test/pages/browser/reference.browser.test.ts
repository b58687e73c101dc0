import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'

/** What the page keeps beyond its memory: stores, databases, caches, cookies, and its own address. */
const stored = (page: Page) =>
  page.evaluate(async () => {
    const { localStorage, sessionStorage, indexedDB, caches, document, location, history } =
      globalThis as unknown as {
        localStorage: object
        sessionStorage: object
        indexedDB: { databases(): Promise<readonly object[]> }
        caches: { keys(): Promise<readonly string[]> }
        document: { cookie: string }
        location: { href: string }
        history: { state: unknown }
      }
    const databases = await indexedDB.databases()
    const names = await caches.keys()
    const { cookie } = document
    const address = [location.href, history.state]
    return JSON.stringify([localStorage, sessionStorage, databases, names, cookie, address])
  })

describe.skipIf(!hasBrowser)('the API reference, in a browser', () => {
  let world: BrowserWorld
  let page: Page

  beforeAll(async () => {
    world = await openWorld({ browser: true, model: 'built-in' })
    page = await (await openWindow(world.browser, world.service)).newPage()
  })
  afterAll(() => world?.close())

  /** Tries `GET /v1/key` and returns the status that the page shows. */
  async function tryRequest(): Promise<string | null> {
    const request = page.locator('.opblock').filter({ has: page.locator('[data-path="/v1/key"]') })
    const opener = request.locator('.opblock-summary-control')
    if ((await opener.getAttribute('aria-expanded')) === 'false') await opener.click()
    await request.getByRole('button', { name: 'Execute' }).click()
    return request.locator('.live-responses-table tbody .response-col_status').first().textContent()
  }

  test('a request is tried with the typed key, which is stored nowhere', async () => {
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    await page.goto('/docs')
    await page.getByLabel('Your key, to try the requests below').fill(world.key)
    expect(await tryRequest()).toContain('200')
    expect(await page.locator('.live-responses-table').textContent()).toContain(world.key.slice(-4))
    expect(await stored(page)).not.toContain(world.key)
    expect(JSON.stringify(await page.context().storageState())).not.toContain(world.key)
    expect([...hosts]).toEqual([new URL(world.service.url).host])
    await page.reload()
    await page.locator('.opblock').first().waitFor()
    expect(await page.content()).not.toContain(world.key)
    expect(await tryRequest()).toContain('401')
  })

  test('a key that is typed before the requests are loaded is used too', async () => {
    const typed = Promise.withResolvers<void>()
    await page.route('**/openapi.json', async (route) => {
      await typed.promise
      await route.continue()
    })
    await page.goto('/docs')
    await page.getByLabel('Your key, to try the requests below').fill(world.key)
    typed.resolve()
    expect(await tryRequest()).toContain('200')
    await page.unroute('**/openapi.json')
  })
})
