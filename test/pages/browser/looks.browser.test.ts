import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow, signInBy } from '../../support/browser.ts'
import { makeAccount } from '../../support/world/accounts.ts'
import { makeThings, ownerKey, type Things } from '../../support/world/things.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { faultsNow } from './quality.ts'
import { screenshot } from './screenshots.ts'

const sizes = { wide: { width: 1_280, height: 860 }, phone: { width: 390, height: 844 } } as const

/** Pages of the frame's own; those of questions, the library and sheets have tests of their own. */
const visitorPages = ['/', '/signin', '/signup', '/docs', '/nowhere']
const accountPages = [
  '/settings/keys',
  '/settings/keys/new',
  '/settings/account',
  '/projects',
  '/projects/PROJECT',
  '/files/FILE',
  '/usage',
  '/operator',
  '/operator/accounts/new',
  '/operator/accounts/ACCOUNT',
  '/operator/audit',
  '/operator/library',
  '/operator/health',
]

describe.skipIf(!hasBrowser)('every page, in both languages and all looks', () => {
  let world: BrowserWorld
  let things: Things
  const pages: Record<string, Page> = {}

  beforeAll(async () => {
    world = await openWorld({ browser: true, model: 'built-in', library: 'starter' })
    const owner = await makeAccount(world.db.database, 'pro')
    await world.db.database.systemPool.query('update accounts set operator = true where id = $1', [owner.id])
    things = await makeThings(world.db, world.service, {
      accountId: owner.id,
      key: await ownerKey(world.db, owner.id),
    })
    for (const who of ['visitor', 'owner']) {
      const window = await openWindow(world.browser, world.service)
      await window.addInitScript(`
        globalThis.shifted = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifted += entry.value
        }).observe({ type: 'layout-shift', buffered: true })`)
      pages[who] = await window.newPage()
    }
    await signInBy(pages['owner']!, owner.email, 'correct horse battery')
  })
  afterAll(() => world?.close())

  const all = [
    ...visitorPages.map((path) => ['visitor', path] as const),
    ...accountPages.map((path) => ['owner', path] as const),
  ]

  test.each(all)('for a %s %s is readable, does not jump, and fits a phone', async (who, path) => {
    const page = pages[who]!
    const address = path
      .replace('PROJECT', things.projectId)
      .replace('FILE', things.fileId)
      .replace('ACCOUNT', things.accountId)
    const faults: string[] = []
    for (const [language, size, theme] of [
      ['en', 'wide', 'light'],
      ['en', 'phone', 'dark'],
      ['he', 'wide', 'dark'],
      ['he', 'phone', 'light'],
    ] as const) {
      const look = `${language}-${size}-${theme}`
      await page.context().addCookies([{ name: 'language', value: language, url: world.service.url }])
      await page.setViewportSize(sizes[size])
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.goto(address, { waitUntil: 'networkidle' })
      await page.evaluate('document.fonts.ready')
      await screenshot(page, `${path.replace(/\W+/g, '-')}-${look}`)
      faults.push(...(await faultsNow(page)).map((fault) => `${look}: ${fault}`))
      const shifted = await page.evaluate<number>('globalThis.shifted')
      if (shifted > 0.02) faults.push(`${look}: the layout shifted by ${shifted}`)
      const tooWide = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      if (tooWide > 0) faults.push(`${look}: ${tooWide} px wider than the window`)
    }
    expect(faults).toEqual([])
  })
})
