import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const folder = join(import.meta.dirname, '.screenshots')

// biome-ignore lint/style/noProcessEnv: a switch of the tests alone
export const arePicturesWanted = Boolean(process.env['SCREENSHOTS'])

/** Keeps a picture of the whole page for people to look at, when the variable SCREENSHOTS is set; git does not. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!arePicturesWanted) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
