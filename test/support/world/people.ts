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
      const page = await window.newPage()
      await page.goto('/signup')
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill('four unrelated words here')
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.waitForURL('**/ask')
      return { window, page, email }
    },
  }
}
