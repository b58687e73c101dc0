import { gzipSync } from 'node:zlib'
import type { BrowserContext, Page } from 'playwright-core'
import { type Look, looksOf, showIn } from './looks.ts'
import { faultsNow, sharedNames } from './quality.ts'
import { screenshot } from './screenshots.ts'
import { openWhole } from './window-state.ts'

/** Measures how much the layout of each later page shifts after it was first shown. */
export function watchShifts(window: BrowserContext): Promise<unknown> {
  return window.addInitScript(`
    globalThis.shifted = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifted += entry.value
    }).observe({ type: 'layout-shift', buffered: true })`)
}

/** A fifth of what web.dev/cls calls good: nothing that a reader would see move. */
const maxShift = 0.02

/**
 * Opens a page, up to three times: what jumps does so each time. A busy machine may paint before its fonts are read from the
 * cache, and then the letters take their own width.
 */
async function leastShift(page: Page, address: string) {
  let source: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (let loads = 0; loads < 3 && least > maxShift; loads += 1) {
    source = await (await openWhole(page, address))?.text()
    // Undefined in a window without `watchShifts`.
    least = Math.min(least, (await page.evaluate<number | undefined>('globalThis.shifted')) ?? 0)
  }
  return { least, source }
}

/**
 * What is wrong with a page in those of the looks that `looksOf` picks by its name: what axe finds, a layout that shifts, a
 * page wider than its window, and a table that scrolls sideways on a phone.
 * @param options.open what to do on the page before it is looked at, such as opening a menu.
 */
export async function faultsInLooks(
  page: Page,
  address: string,
  looks: readonly Look[],
  options: { readonly open?: (page: Page) => Promise<void>; readonly name?: string } = {},
): Promise<readonly string[]> {
  const { open, name = address } = options
  const faults: string[] = []
  for (const chosen of looksOf(name, looks)) {
    const [language, size] = chosen
    const look = chosen.join('-')
    await page.context().addCookies([{ name: 'language', value: language, domain: '127.0.0.1', path: '/' }])
    await showIn(page, chosen)
    const { least: shifted, source } = await leastShift(page, address)
    if (shifted > maxShift) faults.push(`${look}: the layout shifted by ${shifted}`)
    await open?.(page)
    await screenshot(page, `${name.replace(/\W+/g, '-')}-${look}`)
    faults.push(...(await faultsNow(page)).map((fault) => `${look}: ${fault}`))
    faults.push(...(await sharedNames(page)).map((fault) => `${look}: one name for several: ${fault}`))
    const tooWide = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    if (tooWide > 0) faults.push(`${look}: ${tooWide} px wider than the window`)
    // Tables of our own; a table in an answer has the columns that its writer chose.
    faults.push(...(await markupFaults(page, source ?? '')), ...paintFaults(source ?? ''))
    faults.push(...(await edgeFaults(page)).map((fault) => `${look}: ${fault}`))
    const scrolled = await page.evaluate<number>(
      `Math.max(0, ...[...document.querySelectorAll('.scroll.cards')].map((one) => one.scrollWidth - one.clientWidth))`,
    )
    if (size === 'phone' && scrolled > 0)
      faults.push(`${look}: a table is ${scrolled} px wider than its place`)
    const cutOff = await page.evaluate<number>(
      `Math.max(0, ...[...document.querySelectorAll('dialog[open]')].map((one) => one.scrollWidth - one.clientWidth))`,
    )
    if (cutOff > 0) faults.push(`${look}: ${cutOff} px of a dialog are cut off`)
  }
  return faults
}

/**
 * Parts of the page that begin at another edge than its heading, or than the name of the product. Parts beside the
 * heading have edges of their own, as have forms to sign in, which stand in the middle.
 */
function edgeFaults(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const { clientWidth, dir } = document.documentElement
    const start = (one) => {
      const { left, right } = one.getBoundingClientRect()
      return Math.round(dir === 'rtl' ? clientWidth - right : left)
    }
    const isShown = (one) => one.checkVisibility() && one.getBoundingClientRect().height > 1
      && !/absolute|fixed/.test(getComputedStyle(one).position)
    const isBelow = (one, other) => one.getBoundingClientRect().top >= other.getBoundingClientRect().bottom - 1
    const main = document.querySelector('main')
    const faults = []
    for (let at = main.querySelector('h1:not(.sr)'); at !== null && at !== main; at = at.parentElement)
      for (const one of at.parentElement.children)
        if (one !== at && isShown(one) && (isBelow(one, at) || isBelow(at, one)) && start(one) !== start(at))
          faults.push(one.localName + '.' + one.className + ' begins at ' + start(one) + ', its heading at ' + start(at))
    const own = Math.min(...[...main.children].filter((one) => isShown(one) && !one.matches('.narrow')).map(start))
    const brand = start(document.querySelector('.brand'))
    if (Number.isFinite(own) && own !== brand) faults.push('the page begins at ' + own + ', the header at ' + brand)
    return faults
  })()`)
}

/** Compressed bytes that a connection to a new visitor carries at once, with some of the next round trip. */
const maxBytesToPaint = 20_000

/** What delays the first paint: another file that the browser waits for, or a page of many round trips. */
function paintFaults(source: string): readonly string[] {
  const awaited = source.match(/<link rel="stylesheet"|<script(?! type="module")/g) ?? []
  const { length } = gzipSync(source)
  const large = length > maxBytesToPaint ? [`${length} compressed bytes before the first paint`] : []
  return [...awaited.map((one) => `${one} delays the first paint`), ...large]
}

/** Elements that the browser's parser has to add or to leave out, ids that two elements have, and roles of cells. */
function markupFaults(page: Page, source: string): Promise<readonly string[]> {
  return page.evaluate((source) => {
    const { DOMParser } = globalThis as unknown as {
      DOMParser: new () => { parseFromString(text: string, type: string): Parsed }
    }
    type Parsed = {
      querySelectorAll(selector: string): Iterable<{ localName: string; id: string; content?: Parsed }>
    }
    const elementsOf = (root: Parsed): { localName: string; id: string }[] =>
      [...root.querySelectorAll('*')].flatMap((one) => [
        one,
        ...(one.content?.querySelectorAll ? elementsOf(one.content) : []),
      ])
    const page = new DOMParser().parseFromString(source, 'text/html')
    const elements = elementsOf(page)
    const counts = new Map<string, number>()
    const add = (name: string, by: number) => counts.set(name, (counts.get(name) ?? 0) + by)
    const markup = source.replace(/(<(script|style|textarea|title)\b[^>]*>)[\s\S]*?<\/\2>/g, '$1')
    for (const [, name = ''] of markup.matchAll(/<([a-z][\w-]*)/gi)) add(name.toLowerCase(), 1)
    for (const { localName } of elements) add(localName.toLowerCase(), -1)
    const ids = elements.map(({ id }) => id).filter((id) => id !== '')
    return [
      ...[...counts].filter(([, by]) => by !== 0).map(([name, by]) => `${by} ${name} differ from the source`),
      ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `two elements have the id ${id}`),
      ...[...page.querySelectorAll('tr[role], td[role], th[role]')].map(
        ({ localName }) => `a ${localName} has a role`,
      ),
    ]
  }, source)
}
