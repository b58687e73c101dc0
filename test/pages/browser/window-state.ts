import type { Locator, Page, Request, Response } from 'playwright-core'

/** Opens an address and waits until the page has all that it asked for, its fonts included, and has painted it. */
export async function openWhole(page: Page, address: string): Promise<Response | null> {
  const coming = new Set<Request>()
  let arrived = () => {}
  const begin = (request: Request) => void coming.add(request)
  const end = (request: Request) => {
    coming.delete(request)
    if (coming.size === 0) arrived()
  }
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end)
  const response = await page.goto(address)
  do {
    const all = new Promise<void>((resolve) => {
      arrived = resolve
    })
    if (coming.size > 0) await all
    await page.evaluate(`document.fonts.ready.then(() => new Promise((painted) =>
      requestAnimationFrame(() => requestAnimationFrame(painted))))`)
    // What came may have asked for more.
  } while (coming.size > 0)
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end)
  return response
}

/** Whether the element has the focus. */
export async function hasFocus(target: Locator): Promise<boolean> {
  return (await target.and(target.page().locator(':focus')).count()) > 0
}

/** Whether the whole element is within the window. */
export async function isInWindow(target: Locator): Promise<boolean> {
  const [box, window] = [await target.boundingBox(), target.page().viewportSize()]
  return box !== null && window !== null && box.y >= 0 && box.y + box.height <= window.height
}

/** How far the page is scrolled down, in CSS pixels. */
export function scrolled(page: Page): Promise<number> {
  return page.evaluate<number>('scrollY')
}

/** Number of animations that run on the page. */
export function runningAnimations(page: Page): Promise<number> {
  return page.evaluate<number>('document.getAnimations().length')
}

/** Presses Tab until the element has the focus. @throws Error when 200 presses do not lead there. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let pressed = 0; pressed < 200; pressed += 1) {
    if (await hasFocus(target)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab does not lead there')
}
