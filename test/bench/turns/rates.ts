import { type Figure, median, print } from '../report.ts'
import type { Target } from './exchange.ts'
import { closedLoop, type LoadResult } from './load.ts'
import { oneCall, oneTool, type TurnScript } from './script.ts'
import type { Worker } from './worker.ts'
import type { World } from './world.ts'

type Served = Worker & { readonly target: Target }
type Rate = { readonly perSecond: number; readonly cpuMs: number }

/**
 * Three rounds that are not measured. A server runs for weeks: what it compiles while it is new belongs to no turn, and the
 * longest path takes some seconds of it.
 */
export async function warm(
  target: Target,
  script: TurnScript,
  concurrency: number,
  seconds: number,
): Promise<void> {
  requireGood(await closedLoop({ target, script }, concurrency, 3 * seconds))
}

/** Turns a second and server CPU a turn, closed loop, each system in turn within every round. */
export async function measureRates(
  world: World,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  // The gates are what this state holds on two cores: a turn with a tool writes twice to its log and sends the model its tools.
  for (const [name, script, gate, cpuGate] of [
    ['one-call', oneCall, 0.45, 2.6],
    ['one-tool', oneTool, 0.35, 3.6],
  ] as const) {
    for (const concurrency of [16, 64]) {
      const compared = await compare(world, script, concurrency, { rounds, seconds })
      const at = `${name} streamed, c=${concurrency}`
      figures.push({
        ...{ name: `${at}: turns/s against floor (e)`, unit: 'x', goal: 0.7, gate, more: true },
        ...{ value: compared.rate.value, of: compared.rate.of },
      })
      if (concurrency !== 16) continue
      figures.push({
        ...{ name: `${at}: server CPU a turn against floor (e)`, unit: 'x', goal: 1.7, gate: cpuGate },
        ...{ value: compared.cpu.value, of: compared.cpu.of },
      })
    }
  }
  return figures
}

async function compare(
  world: World,
  script: TurnScript,
  concurrency: number,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
) {
  for (const { target } of [world.agentFloor, world.service]) await warm(target, script, concurrency, seconds)
  const measured: { readonly floor: Rate; readonly service: Rate }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const floor = await rateOf(world.agentFloor, script, concurrency, seconds)
    const service = await rateOf(world.service, script, concurrency, seconds)
    const pass = script.tool ? undefined : await rateOf(world.passFloor, script, concurrency, seconds)
    measured.push({ floor, service })
    const one = (rate: Rate) => `${rate.perSecond.toFixed(0)}/s ${rate.cpuMs.toFixed(2)} ms`
    print(
      `  round ${round + 1}, c=${concurrency}, ${script.tool ? 'one tool' : 'one call'}: floor (e) ${one(floor)}, service ${one(service)}${pass ? `, pass-through ${one(pass)}` : ''}`,
    )
  }
  const floors = measured.map(({ floor }) => floor)
  const services = measured.map(({ service }) => service)
  const ratio = (of: (rate: Rate) => number) => ({
    value: median(measured.map(({ floor, service }) => of(service) / of(floor))),
    of: `${median(services.map(of)).toFixed(2)} against ${median(floors.map(of)).toFixed(2)}`,
  })
  return { rate: ratio((rate) => rate.perSecond), cpu: ratio((rate) => rate.cpuMs) }
}

async function rateOf(
  { target, cpuMs }: Served,
  script: TurnScript,
  concurrency: number,
  seconds: number,
): Promise<Rate> {
  // Connections, prepared statements and compiled code first.
  requireGood(await closedLoop({ target, script }, concurrency, 1))
  const before = await cpuMs()
  const result = requireGood(await closedLoop({ target, script }, concurrency, seconds))
  const taken = (await cpuMs()) - before
  return { perSecond: result.done / result.seconds, cpuMs: taken / result.done }
}

/** @throws Error when a single reply was wrong: a fast service that errs has no speed. */
export function requireGood(result: LoadResult): LoadResult {
  if (result.failed === 0 && result.done > 0) return result
  throw new Error(`${result.failed} of ${result.done + result.failed} replies failed: ${result.reason}`)
}
