import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { desk } from '../../support/browser.ts'
import { everyLook, looksOf, showIn } from './looks.ts'
import { arePicturesWanted, screenshot } from './screenshots.ts'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds wrong on the page as it is shown now: each rule with the elements that break it. */
export async function faultsNow(page: Page): Promise<readonly string[]> {
  // A page's policy forbids added scripts; what the browser's own tools evaluate is not bound by it.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe)
  return page.evaluate(async () => {
    type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] }
    type Axe = { run(options: object): Promise<{ violations: readonly Violation[] }> }
    // Every rule runs; only what breaks one is described.
    const options = { resultTypes: ['violations'] }
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(options)
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
  })
}

/**
 * Links and buttons with one name that do different things, each name once. Screen readers list links without the words
 * around them, and buttons with the name of the group or the turn that they are in.
 */
export async function sharedNames(page: Page): Promise<readonly string[]> {
  const controls = await page.evaluate<readonly Control[]>(`
    [...document.querySelectorAll('main :is(a[href], button, summary)')]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }))
      .map((one) => ({
        kind: one.localName,
        name: (one.getAttribute('aria-label') ?? one.textContent).replace(/\\s+/g, ' ').trim(),
        group: one.closest('[role=group][aria-label], aside[aria-label]')?.getAttribute('aria-label')
          ?? one.closest('article[aria-labelledby]')?.getAttribute('aria-labelledby') ?? '',
        href: one.href ?? null,
      }))`)
  const named = Map.groupBy(controls, ({ kind, name, group, href }) =>
    href === null ? `${kind} ${group} ${name}` : `link ${name}`,
  )
  return [...named].flatMap(([name, same]) => {
    // A passage can be added to a sheet in one version or in several.
    const targets = new Set(same.map(({ href }, at) => href?.replace(/#.*|&(?:he|en)=[^&]*/g, '') ?? at))
    return targets.size > 1 ? [`${name}: ${[...targets].join(' | ')}`] : []
  })
}

type Control = {
  readonly kind: string
  readonly name: string
  readonly group: string
  /** Null for a button. */
  readonly href: string | null
}

/** What axe finds wrong with the page in the lights that `looksOf` picks by the name of its picture. */
export async function accessibilityFaults(page: Page, name: string): Promise<readonly string[]> {
  await screenshot(page, name)
  const faults: string[] = []
  for (const colorScheme of looksOf(name, ['light', 'dark'] as const)) {
    // Colours that are on their way from one look to the other are in neither.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    faults.push(...(await faultsNow(page)))
  }
  await page.emulateMedia({ colorScheme: 'light' })
  return faults
}

/**
 * Shows the page in the sizes and lights that `looksOf` picks by its name, and keeps pictures of them and of its mirror
 * image. @returns what axe finds in any.
 */
export async function inAllLooks(page: Page, name: string): Promise<readonly string[]> {
  const faults: string[] = []
  const before = page.viewportSize()
  for (const look of looksOf(name, everyLook)) {
    await showIn(page, look)
    const shown = look.slice(1).join('-')
    await screenshot(page, `${name}-${shown}`)
    faults.push(...(await faultsNow(page)).map((fault) => `${shown}: ${fault}`))
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(before ?? desk)
  if (!arePicturesWanted) return faults
  await page.evaluate(`document.documentElement.dir = 'rtl'`)
  await screenshot(page, `${name}-rtl`)
  await page.evaluate(`document.documentElement.dir = 'ltr'`)
  return faults
}
