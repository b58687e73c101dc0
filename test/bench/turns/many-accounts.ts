import { type Figure, median, print } from '../report.ts'
import type { Target } from './exchange.ts'
import { closedLoop } from './load.ts'
import { requireGood, warm } from './rates.ts'
import { oneCall } from './script.ts'
import type { World } from './world.ts'

const count = 64

/** Turns per second of 64 clients of 64 accounts, against 64 clients of one account and one key. */
export async function measureManyAccounts(
  { service: { target }, withOwner }: World,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly Figure[]> {
  const owners: Target[] = []
  for (let n = 1; n <= count; n += 1) owners.push(await withOwner())
  const one = async () => {
    const { done, seconds: taken } = requireGood(
      await closedLoop({ target, script: oneCall }, count, seconds),
    )
    return done / taken
  }
  const many = async () => {
    const results = await Promise.all(
      owners.map((owner) => closedLoop({ target: owner, script: oneCall }, 1, seconds)),
    )
    return results.reduce((sum, result) => sum + requireGood(result).done / result.seconds, 0)
  }
  await warm(target, oneCall, count, seconds)
  await many()
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const [apart, together] = [await many(), await one()]
    print(
      `  round ${round}, c=${count}: ${count} accounts ${apart.toFixed(0)}/s, one account ${together.toFixed(0)}/s`,
    )
    ratios.push(apart / together)
  }
  const name = `${count} accounts against one, c=${count}: turns/s`
  return [{ name, unit: 'x', goal: 1, gate: 0.8, more: true, value: median(ratios) }]
}
