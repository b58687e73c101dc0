import { type Figure, percentile, print } from '../report.ts'
import type { Target } from './exchange.ts'
import { closedLoop, openLoop } from './load.ts'
import { requireGood, warm } from './rates.ts'
import { boundsHere, reference } from './reference.ts'
import { oneCall } from './script.ts'
import type { World } from './world.ts'

type Added = { readonly p50: number; readonly p99: number; readonly first: number }

/** What a turn takes longer than the model alone, one client, best of the rounds. */
export async function measureLatency(
  world: World,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly Figure[]> {
  const times = async (target: Target, streamed: boolean) => {
    const { exchanges } = requireGood(await closedLoop({ target, script: oneCall, streamed }, 1, seconds))
    const totals = exchanges.map(({ totalMs }) => totalMs)
    return {
      p50: percentile(totals, 0.5),
      p99: percentile(totals, 0.99),
      first: percentile(
        exchanges.map(({ firstTextMs }) => firstTextMs),
        0.5,
      ),
    }
  }
  // One client alone would be a minute until all of the path is compiled.
  for (const { target } of [world.agentFloor, world.service]) await warm(target, oneCall, 16, seconds)
  let [best, floorBest] = [never, never]
  for (let round = 0; round < rounds; round += 1) {
    const model = await times(world.model.target, true)
    const floor = await times(world.agentFloor.target, true)
    const service = await times(world.service.target, true)
    const whole = await times(world.service.target, false)
    const over = (of: Added): Added => ({
      p50: of.p50 - model.p50,
      p99: of.p99 - model.p99,
      first: of.first - model.first,
    })
    const added = (of: Added) => `+${over(of).p50.toFixed(2)}/+${over(of).p99.toFixed(2)} ms`
    print(
      `  round ${round + 1}, c=1, p50/p99: model ${model.p50.toFixed(2)}/${model.p99.toFixed(2)} ms, floor (e) ${added(floor)}, service ${added(service)}, whole ${added(whole)}`,
    )
    floorBest = least(floorBest, over(floor))
    best = least(best, over(service))
  }
  const open = requireGood(await openLoop({ target: world.service.target, script: oneCall }, 50, seconds))
  const totals = open.exchanges.map(({ totalMs }) => totalMs)
  print(
    `  open loop, 50 turns/s: p50 ${percentile(totals, 0.5).toFixed(1)} ms, p99 ${percentile(totals, 0.99).toFixed(1)} ms`,
  )
  const figure = (name: string, value: number, bounds: ReturnType<typeof boundsHere>): Figure => ({
    ...{ name, value, unit: 'ms' },
    ...bounds,
  })
  return [
    figure('added to a turn, c=1, p50', best.p50, boundsHere([1.5, 2.5], floorBest.p50, reference.p50)),
    figure('added to a turn, c=1, p99', best.p99, boundsHere([6, 10], floorBest.p99, reference.p99)),
    figure(
      'added to the first text, c=1, p50',
      best.first,
      boundsHere([1, 2], floorBest.first, reference.firstText),
    ),
  ]
}

const never: Added = {
  p50: Number.POSITIVE_INFINITY,
  p99: Number.POSITIVE_INFINITY,
  first: Number.POSITIVE_INFINITY,
}

function least(a: Added, b: Added): Added {
  return { p50: Math.min(a.p50, b.p50), p99: Math.min(a.p99, b.p99), first: Math.min(a.first, b.first) }
}
