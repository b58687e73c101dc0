import type { Browser, BrowserContext, Page } from 'playwright-core'
import { closeWindows, desk, openBrowser, openWindow } from '../browser.ts'
import type { World } from './services.ts'

/** A service with a browser for its pages. */
export type BrowserWorld = World & {
  readonly browser: Browser
  /** Somebody new, on plan `free`, signed in to the pages in a window that nobody else uses. */
  person(options?: { readonly url?: string; readonly scripts?: boolean }): Promise<Person>
}

export type Person = {
  readonly window: BrowserContext
  readonly page: Page
  readonly email: string
  /**
   * Hands the window to the next person, without what this one had in it. Opening another one takes the CPU time of three
   * pages. A test that adds scripts to its window or listens to it closes it instead.
   */
  leave(): Promise<void>
}

let people = 0

export async function addBrowser(
  base: Omit<World, 'close'>,
  cleanup: AsyncDisposableStack,
): Promise<Omit<BrowserWorld, 'close'>> {
  const browser = await openBrowser()
  cleanup.defer(() => closeWindows(browser))
  const left: Page[] = []
  return {
    ...base,
    browser,
    async person({ url = base.service.url, scripts = true } = {}) {
      people += 1
      const email = `reader-${people}@example.org`
      const isShared = scripts && url === base.service.url
      const page =
        (isShared && left.pop()) ||
        (await (await openWindow(browser, { ...base.service, url }, { scripts })).newPage())
      const window = page.context()
      const form = { email, password: 'four unrelated words here' }
      const headers = { 'sec-fetch-site': 'same-origin' }
      const signedUp = await window.request.post('/signup', { form, headers, maxRedirects: 0 })
      if (signedUp.status() !== 303) throw new Error(`the sign-up failed: ${await signedUp.text()}`)
      await page.goto('/ask')
      const leave = async () => {
        if (!isShared) return window.close()
        await empty(page)
        left.push(page)
      }
      return { window, page, email, leave }
    },
  }
}

/** Makes a page and its window as they were when they were new. */
async function empty(page: Page): Promise<void> {
  const window = page.context()
  await page.unrouteAll()
  await page.evaluate('localStorage.clear(), sessionStorage.clear()')
  await window.clearCookies()
  await window.clearPermissions()
  await window.setOffline(false)
  await page.setViewportSize(desk)
  await page.emulateMedia({ media: null, colorScheme: 'light', reducedMotion: null })
}
