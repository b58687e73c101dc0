import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { TestService } from './world/service.ts'

/**
 * The browser of the system; tests that need one are skipped without it. Debian's headless shell comes first,
 * because it takes a fifth of the CPU time per page.
 */
const program = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync)

export const hasBrowser = program !== undefined

let running: Promise<Browser> | undefined

/** The browser of this process. Its test files share it, and it ends with the process. */
export function openBrowser(): Promise<Browser> {
  running ??= launch()
  return running
}

/**
 * One process for all windows: starting one for each takes a sixth of the CPU time of a run. Scripts of pages that live for
 * a second are not compiled a second time.
 */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
  '--js-flags=--no-opt',
]

function launch(): Promise<Browser> {
  if (program === undefined) throw new Error('no browser is installed')
  // Where the machine names no language, a file's name in Hebrew would be saved as `download`.
  // biome-ignore lint/style/noProcessEnv: a program of its own
  const env = { ...process.env, LC_ALL: 'C.UTF-8' } as Record<string, string>
  return chromium.launch({ executablePath: program, env, args })
}

/** Closes the windows that a test file has opened in its browser. */
export async function closeWindows(browser: Browser | undefined): Promise<void> {
  await Promise.all(browser?.contexts().map((window) => window.close()) ?? [])
}

/** The window of a desk, in CSS pixels. */
export const desk = { width: 1_280, height: 860 } as const

/** Pages come at once, unless other work has the processors. */
const patienceMs = 120_000

/** A window with its own cookies. */
export async function openWindow(
  browser: Browser,
  service: TestService,
  options: { readonly scripts?: boolean } = {},
): Promise<BrowserContext> {
  const window = await browser.newContext({
    baseURL: service.url,
    viewport: desk,
    colorScheme: 'light',
    javaScriptEnabled: options.scripts ?? true,
    locale: 'en-GB',
  })
  window.setDefaultTimeout(patienceMs)
  return window
}

/** Signs in by the form. */
export async function signInBy(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/signin')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname !== '/signin')
}
