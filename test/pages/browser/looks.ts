import type { Page } from 'playwright-core'
import { desk } from '../../support/browser.ts'
import { rows } from '../../support/full.ts'

export const sizes = { wide: desk, phone: { width: 390, height: 844 } } as const

export type Look = readonly [language: 'en' | 'he', size: keyof typeof sizes, theme: 'light' | 'dark']

/** Each language in each size and each theme, and each size in each theme. */
export const everyLook: readonly Look[] = [
  ['en', 'wide', 'light'],
  ['en', 'phone', 'dark'],
  ['he', 'wide', 'dark'],
  ['he', 'phone', 'light'],
]

/**
 * The looks in which a page is tested: all in the full tests, else one. Which one depends on the name of the page, so that
 * the pages of a run have every look.
 */
export function looksOf<One>(name: string, looks: readonly One[]): readonly One[] {
  const at = [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % looks.length
  return rows(
    looks.filter((_, other) => other === at),
    looks.filter((_, other) => other !== at),
  )
}

/** Sets the size and the theme of a page. */
export async function showIn(page: Page, [, size, theme]: Look): Promise<void> {
  await page.setViewportSize(sizes[size])
  // A colour on its way from light to dark would be measured half-way.
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
}
