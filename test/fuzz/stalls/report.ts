import { writeFile } from 'node:fs/promises'
import type { Measured } from './growth.ts'
import { megabytes, milliseconds } from './limits.ts'

/** The worst measurement of each subject, and all broken limits. */
export type Report = {
  readonly findings: readonly Measured[]
  readonly worst: readonly WorstOf[]
  readonly requests: number
}

export type WorstOf = {
  readonly subject: string
  readonly loop: Measured
  readonly memory: Measured
  readonly requests: number
}

export type Ledger = { note(measured: Measured): void; report(): Report }

export function openLedger(): Ledger {
  const worst = new Map<string, WorstOf>()
  const findings: Measured[] = []
  let requests = 0
  return {
    note(measured) {
      requests += 1
      if (measured.faults.length > 0) findings.push(measured)
      const known = worst.get(measured.subject)
      worst.set(measured.subject, {
        subject: measured.subject,
        loop: known && known.loop.strain.loopMs >= measured.strain.loopMs ? known.loop : measured,
        memory: known && excess(known.memory) >= excess(measured) ? known.memory : measured,
        requests: (known?.requests ?? 0) + 1,
      })
    },
    report: () => ({
      findings,
      worst: [...worst.values()].toSorted((a, b) => b.loop.strain.loopMs - a.loop.strain.loopMs),
      requests,
    }),
  }
}

/** Grown memory in bytes, minus the size of the input. */
const excess = ({ strain, bytes }: Measured): number => (strain.grownBytes ?? 0) - bytes

export function printReport({ worst, findings, requests }: Report, print: (line: string) => void): void {
  print(
    `\n${'worst of'.padEnd(48)}${'loop'.padStart(9)}${'/healthz'.padStart(10)}${'memory'.padStart(11)}${'for'.padStart(11)}  input`,
  )
  for (const { subject, loop, memory } of worst) {
    const [loopMs, healthMs] = [milliseconds(loop.strain.loopMs), milliseconds(loop.strain.healthMs)]
    const grown = memory.strain.grownBytes === undefined ? '?' : megabytes(memory.strain.grownBytes)
    print(
      `${subject.padEnd(48)}${loopMs.padStart(9)}${healthMs.padStart(10)}${grown.padStart(11)}${megabytes(memory.bytes).padStart(11)}  ${loop.name.replace(`${subject} | `, '')}, ${loop.bytes} bytes, status ${loop.status}`,
    )
  }
  print(`\n${requests} requests, ${findings.length} findings`)
  for (const finding of findings) print(findingLine(finding))
}

/** @returns one line that describes the finding and names the case to send again. */
export function findingLine({ subject, name, bytes, status, faults }: Measured): string {
  return `FINDING ${subject}: ${faults.join(', ')} (${bytes} bytes, status ${status})\n  again: npm run fuzz -- --stalls --only '${name}'`
}

export async function writeReport(file: string, report: Report, run: object): Promise<void> {
  await writeFile(file, `${JSON.stringify({ ...run, ...report }, null, 1)}\n`)
}
