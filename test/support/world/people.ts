import type { Browser, BrowserContext, Page } from 'playwright-core'
import { closeWindows, openBrowser, openWindow } from '../browser.ts'
import type { World } from './services.ts'

/** A service with a browser for its pages. */
export type BrowserWorld = World & {
  readonly browser: Browser
  /** Somebody new, on plan `free`, signed in to the pages in a window of their own. */
  person(options?: { readonly url?: string; readonly scripts?: boolean }): Promise<Person>
}

export type Person = { readonly window: BrowserContext; readonly page: Page; readonly email: string }

let people = 0

export async function addBrowser(
  base: Omit<World, 'close'>,
  cleanup: AsyncDisposableStack,
): Promise<Omit<BrowserWorld, 'close'>> {
  const browser = await openBrowser()
  cleanup.defer(() => closeWindows(browser))
  return {
    ...base,
    browser,
    async person({ url = base.service.url, scripts = true } = {}) {
      people += 1
      const email = `reader-${people}@example.org`
      const window = await openWindow(browser, { ...base.service, url }, { scripts })
      const form = { email, password: 'four unrelated words here' }
      const headers = { 'sec-fetch-site': 'same-origin' }
      const signedUp = await window.request.post('/signup', { form, headers, maxRedirects: 0 })
      if (signedUp.status() !== 303) throw new Error(`the sign-up failed: ${await signedUp.text()}`)
      const page = await window.newPage()
      await page.goto('/ask')
      return { window, page, email }
    },
  }
}
