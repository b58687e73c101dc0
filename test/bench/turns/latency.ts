import type { Target } from './exchange.ts'
import { closedLoop, openLoop, percentile } from './load.ts'
import { requireGood, warm } from './rates.ts'
import { type Figure, print } from './report.ts'
import { oneCall } from './script.ts'
import type { World } from './world.ts'

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
  let best = { p50: Number.POSITIVE_INFINITY, p99: Number.POSITIVE_INFINITY, first: Number.POSITIVE_INFINITY }
  let bestFloor = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round += 1) {
    const model = await times(world.model.target, true)
    const floor = await times(world.agentFloor.target, true)
    const service = await times(world.service.target, true)
    const whole = await times(world.service.target, false)
    const added = (of: typeof model) =>
      `+${(of.p50 - model.p50).toFixed(2)}/+${(of.p99 - model.p99).toFixed(2)} ms`
    print(
      `  round ${round + 1}, c=1, p50/p99: model ${model.p50.toFixed(2)}/${model.p99.toFixed(2)} ms, floor (e) ${added(floor)}, service ${added(service)}, whole ${added(whole)}`,
    )
    bestFloor = Math.min(bestFloor, floor.p50 - model.p50)
    best = {
      p50: Math.min(best.p50, service.p50 - model.p50),
      p99: Math.min(best.p99, service.p99 - model.p99),
      first: Math.min(best.first, service.first - model.first),
    }
  }
  print(
    `  best of the rounds, p50: floor (e) +${bestFloor.toFixed(2)} ms, service +${best.p50.toFixed(2)} ms`,
  )
  const open = requireGood(await openLoop({ target: world.service.target, script: oneCall }, 50, seconds))
  const totals = open.exchanges.map(({ totalMs }) => totalMs)
  print(
    `  open loop, 50 turns/s: p50 ${percentile(totals, 0.5).toFixed(1)} ms, p99 ${percentile(totals, 0.99).toFixed(1)} ms`,
  )
  return [
    { name: 'added to a turn, c=1, p50', value: best.p50, unit: 'ms', goal: 1.5, gate: 2.5 },
    { name: 'added to a turn, c=1, p99', value: best.p99, unit: 'ms', goal: 6, gate: 10 },
    { name: 'added to the first text, c=1, p50', value: best.first, unit: 'ms', goal: 1, gate: 2 },
  ]
}
