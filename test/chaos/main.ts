import { rm } from 'node:fs/promises'
import process from 'node:process'
import { bundleService } from '../../build/bundle.ts'
import { check, rules, type Violation } from './checker.ts'
import { figuresOf } from './figures.ts'
import { openHarness } from './harness.ts'
import type { History } from './history.ts'
import { help, type Options, readOptions } from './options.ts'

const progressMs = 10_000
/** Maximum printed violations per rule; the history has all of them. */
const maxLines = 20

const print = (line: string): void => void process.stdout.write(`${line}\n`)

async function main(options: Options): Promise<boolean> {
  print(`seed ${options.seed}`)
  await bundleService({ ifChanged: true })
  const harness = await openHarness(options)
  const progress = reportProgress(harness.history)
  try {
    const findings = await harness.run()
    clearInterval(progress)
    for (const [name, value] of figuresOf(findings)) print(`${name.padEnd(50)}${value}`)
    const violations = check(findings)
    print(`${'violations'.padEnd(50)}${violations.length}, of ${rules.length} rules`)
    printViolations(violations)
    if (violations.length > 0)
      print(`seed ${options.seed}; history: ${harness.historyFile}; logs: ${harness.directory}/logs`)
    else await rm(harness.directory, { recursive: true, force: true })
    return violations.length === 0
  } finally {
    clearInterval(progress)
  }
}

function printViolations(violations: readonly Violation[]): void {
  for (const [rule, those] of Map.groupBy(violations, ({ rule: name }) => name)) {
    for (const { detail } of those.slice(0, maxLines)) print(`VIOLATION ${rule}: ${detail}`)
    if (those.length > maxLines) print(`VIOLATION ${rule}: and ${those.length - maxLines} more`)
  }
}

function reportProgress({ entries }: History): NodeJS.Timeout {
  const begin = Date.now()
  const count = (type: string) => entries.filter((entry) => entry.type === type).length
  return setInterval(() => {
    const phase = entries.findLast((entry) => entry.type === 'phase')?.phase ?? 'start'
    const seconds = Math.round((Date.now() - begin) / 1_000)
    print(
      `${String(seconds).padStart(5)} s  ${phase}: ${count('intent')} requests begun, ${count('closed')} over, ${count('sent')} attempts, ${count('fault')} faults`,
    )
  }, progressMs)
}

// Leaves through `exit`, whose listeners end replicas and Postgres.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
try {
  const options = readOptions(process.argv.slice(2))
  // Exits at once: one of thousands of cut connections can keep Node running.
  if (options) process.exit((await main(options)) ? 0 : 1)
  process.stdout.write(help)
} catch (error) {
  process.stderr.write(`${error instanceof TypeError ? error.message : (error as Error).stack}\n`)
  // Clients and replicas that still run would keep the process alive.
  process.exit(2)
}
