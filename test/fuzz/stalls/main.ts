import process from 'node:process'
import { seededRandom } from '../../support/random.ts'
import type { Options } from '../options.ts'
import { apiCases } from './api-cases.ts'
import { measureSlowness } from './calibration.ts'
import { type Case, nameOf } from './case.ts'
import { grow, type Measured } from './growth.ts'
import { limitsOn } from './limits.ts'
import { inRounds } from './order.ts'
import { pageCases } from './page-cases.ts'
import { growParsers } from './parsers.ts'
import { findingLine, openLedger, printReport, writeReport } from './report.ts'
import { turnCases } from './turn-cases.ts'
import { openWorld, type World } from './world.ts'

const progressMs = 20_000

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/**
 * Sends worst cases to all routes and pages of a running service, and measures its event loop and memory.
 * @returns whether all stayed within the limits.
 */
export async function watchStalls(options: Options): Promise<boolean> {
  const stopped = stopRequest()
  const world = await openWorld()
  const ledger = openLedger()
  const note = (measured: Measured) => {
    ledger.note(measured)
    if (measured.faults.length > 0) print(findingLine(measured))
  }
  try {
    await warmUp(world)
    const cases = await casesOf(world, options)
    const { processor, machine } = measureSlowness()
    print(
      `${cases.length} cases; the processor is ${processor.toFixed(2)} times slower, the machine ${machine.toFixed(2)}`,
    )
    growParsers(options.only ?? '', limitsOn(measureSlowness()), note)
    await growAll(world, cases, { ...options, stopped }, note)
  } finally {
    await world.close()
  }
  const report = ledger.report()
  printReport(report, print)
  if (options.json !== undefined) await writeReport(options.json, report, { seed: options.seed })
  if (report.requests === 0) print(`nothing has the name "${options.only}"`)
  return report.requests > 0 && report.findings.length === 0
}

/** Loads modules, prepares statements and compiles code, so that this cost stays out of the measurements. */
async function warmUp(world: World): Promise<void> {
  const { routes } = world.service()
  for (let round = 0; round < 3; round += 1) {
    const gets = routes.filter(
      ({ method, url, page }) => method === 'GET' && page !== undefined && !url.includes(':'),
    )
    for (const { url } of gets) await world.send({ method: 'GET', path: url.replace('*', 'none') }, 'visitor')
    for (const route of ['/v1/files', '/v1/projects', '/v1/sources/search?q=beinoni', '/openapi.json'])
      await world.send({ method: 'GET', path: route }, 'key')
  }
}

async function casesOf(world: World, { only = '', seed }: Options): Promise<readonly Case[]> {
  const all = [...apiCases(world.document, world.things), ...(await pageCases(world)), ...turnCases(world)]
  return inRounds(
    all.filter((case_) => nameOf(case_).includes(only)),
    seededRandom(seed),
  )
}

async function growAll(
  world: World,
  cases: readonly Case[],
  { short, minutes, stopped }: Options & { readonly stopped: () => boolean },
  note: (measured: Measured) => void,
): Promise<void> {
  const until = Date.now() + minutes * 60_000
  let [limits, toldAt] = [limitsOn(measureSlowness()), Date.now()]
  for (const [n, case_] of cases.entries()) {
    if (Date.now() >= until || stopped()) return print(`ended after ${n} of ${cases.length} cases`)
    if (Date.now() - toldAt > progressMs) {
      // The load of the machine can have changed.
      ;[limits, toldAt] = [limitsOn(measureSlowness()), Date.now()]
      print(`  ${n} of ${cases.length} cases, limit ${limits.loopMs.toFixed(0)} ms`)
    }
    await grow(world, case_, { limits, short, until }, note)
  }
}

/** The first signal ends the run with a report, so that service and database are stopped too. */
function stopRequest(): () => boolean {
  let wanted = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (wanted = true))
  return () => wanted
}
