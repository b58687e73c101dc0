import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openWhole } from './window-state.ts'

const windows = { desktop: { width: 1_280, height: 860 }, phone: { width: 390, height: 844 } } as const

/** Slow 4G as the developer tools of Chromium define it. */
const slowNetwork = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 }

export type Load = { readonly paint: number; readonly shift: number; readonly moved: readonly string[] }

export type Look = readonly [language: 'en' | 'he', window: keyof typeof windows]

export const looks: readonly Look[] = [
  ['en', 'desktop'],
  ['en', 'phone'],
  ['he', 'desktop'],
  ['he', 'phone'],
]

/** Collects layout shifts with the elements that moved. */
const watch = `globalThis.shifts = []
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries())
    if (!hadRecentInput) globalThis.shifts.push({ value, moved: sources.map(({ node }) => String(
      (node?.nodeType === 3 ? node.parentElement : node)?.outerHTML ?? '').slice(0, 90)) })
}).observe({ type: 'layout-shift', buffered: true })`

/**
 * Opens an address on slow 4G with a processor slowed down four times, with an empty cache.
 * @param cookies of somebody who is signed in; empty for a visitor.
 */
export async function loadOnPhoneNetwork(
  browser: Browser,
  address: string,
  [language, size]: Look,
  cookies: Awaited<ReturnType<BrowserContext['cookies']>>,
): Promise<Load> {
  const window = await browser.newContext({ viewport: windows[size] })
  const domain = new URL(address).hostname
  await window.addCookies([...cookies, { name: 'language', value: language, domain, path: '/' }])
  const page = await window.newPage()
  const session = await window.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', slowNetwork)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.addInitScript(watch)
  page.setDefaultTimeout(60_000)
  await openWhole(page, address)
  const load = await measured(page)
  await window.close()
  return load
}

async function measured(page: Page): Promise<Load> {
  type Shift = { readonly value: number; readonly moved: readonly string[] }
  const shifts = await page.evaluate<readonly Shift[]>('globalThis.shifts')
  const paint = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity`,
  )
  const shift = shifts.reduce((sum, { value }) => sum + value, 0)
  return { paint: Math.round(paint), shift, moved: shifts.flatMap(({ moved }) => moved) }
}
