import { type Figure, median, print } from '../report.ts'
import { closedLoop } from './load.ts'
import { requireGood, warm } from './rates.ts'
import { oneCall, type TurnScript } from './script.ts'
import type { World } from './world.ts'

const equal: TurnScript = { ...oneCall, equal: true }

/**
 * Turns per second of one key when every request has one body, against different questions. The clients are
 * connected, so each request is a turn of its own (decision 87).
 */
export async function measureEqualRequests(
  { service: { target } }: World,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly Figure[]> {
  const rate = async (script: TurnScript, concurrency: number) => {
    const { done, seconds: taken } = requireGood(await closedLoop({ target, script }, concurrency, seconds))
    return done / taken
  }
  const figures: Figure[] = []
  for (const concurrency of [16, 64]) {
    for (const script of [oneCall, equal]) await warm(target, script, concurrency, seconds)
    const measured: { readonly same: number; readonly different: number }[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const [different, same] = [await rate(oneCall, concurrency), await rate(equal, concurrency)]
      print(
        `  round ${round}, c=${concurrency}: ${different.toFixed(0)} different/s, ${same.toFixed(0)} equal/s`,
      )
      measured.push({ same, different })
    }
    const name = `equal requests against different ones, c=${concurrency}: turns/s`
    const value = median(measured.map(({ same, different }) => same / different))
    figures.push({ name, unit: 'x', goal: 0.9, gate: 0.8, more: true, value })
  }
  return figures
}
