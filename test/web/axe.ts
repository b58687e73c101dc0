import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const source = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds wrong with the page as it stands, in light and in dark, as one line each; empty for nothing. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  const faults: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    // Colours that are on their way from one look to the other are in neither.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(await source)
    faults.push(
      ...(await page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: {
            run(): Promise<{
              violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[]
            }>
          }
        }
        const { violations } = await axe.run()
        return violations.flatMap(({ id, nodes }) =>
          nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary}`),
        )
      })),
    )
  }
  return faults
}
