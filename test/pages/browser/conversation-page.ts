import type { Page } from 'playwright-core'

/** Types a question into the box of the page and sends it. */
export async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Your question').fill(question)
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.waitForURL(/\/sessions\//)
}

/** Waits until the newest turn of the conversation stands on the page with all that it came to. */
export function ended(page: Page): Promise<void> {
  return page.locator('article.turn').last().getByText('How this was found').waitFor()
}

/** Waits until screen readers got this announcement. */
export function announced(page: Page, text: string): Promise<void> {
  return page.locator('#announcement', { hasText: text }).waitFor({ state: 'attached' })
}
