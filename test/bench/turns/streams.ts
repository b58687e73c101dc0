import { percentile, together } from './load.ts'
import { requireGood } from './rates.ts'
import { type Figure, print } from './report.ts'
import { oneCall, type TurnScript } from './script.ts'
import type { World } from './world.ts'

/** When the service says that a silent stream lives. */
const keepAliveMs = 10_000

/** Many streams that are open at once on one process: silent first, then a chunk a second each. */
export async function measureStreams(
  world: World,
  { short }: { readonly short: boolean },
): Promise<readonly Figure[]> {
  const count = short ? 500 : 5_000
  const openMs = short ? 5_000 : 30_000
  const script: TurnScript = { tool: false, chunks: 8, firstMs: openMs + 12_000, gapMs: 1_000 }
  // Each takes as many at once as the largest built-in plan lets it.
  const others = Array.from({ length: 4 }, (_, n) => world.withOwner(`bench-${n}@example.org`))
  const load = { targets: [world.service.target, ...(await Promise.all(others))], script }
  // Connections and compiled code first, so that only the streams are counted.
  requireGood(await together({ ...load, script: oneCall }, 500, 2_000))
  const warmKib = await world.service.rssKib()
  let openKib = warmKib
  const watch = setInterval(async () => {
    openKib = Math.max(openKib, await world.service.rssKib())
  }, 500)
  const result = await together(load, count, openMs)
  clearInterval(watch)
  requireGood(result)
  const lags = result.exchanges.flatMap(({ lagsMs }) => lagsMs)
  const silences = result.exchanges.map(({ silenceMs }) => silenceMs)
  const p99 = percentile(lags, 0.99)
  print(
    `  ${count} streams: RSS ${(warmKib / 1024).toFixed(0)} MB before, at most ${(openKib / 1024).toFixed(0)} MB; lag p50 ${percentile(lags, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, most ${Math.max(...lags).toFixed(0)} ms`,
  )
  const at = `${count} open streams`
  return [
    { name: `${at}: RSS of each`, value: (openKib - warmKib) / count, unit: 'KiB', goal: 56, gate: 96 },
    { name: `${at}: lag of a chunk, p99`, value: p99, unit: 'ms', goal: 10, gate: 20 },
    {
      ...{ name: `${at}: keep-alives, lateness p99`, unit: 'ms', goal: 100, gate: 1_000 },
      value: percentile(silences, 0.99) - keepAliveMs,
    },
  ]
}
