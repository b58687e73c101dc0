import { loadavg } from 'node:os'

/** One measured figure beside what it is to reach. */
export type Figure = {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly goal: number
  readonly gate: number
  /** Whether more is better; else less is. */
  readonly more?: boolean
  /** What the figure was made of. */
  readonly of?: string
}

export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Prints how long `work` took. */
export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  const made = await work()
  print(`${what}: ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
  return made
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

export const loadNow = (): string => loadavg()[0]?.toFixed(1) ?? '?'

export function reached({ value, goal, gate, more = false }: Figure): 'goal' | 'gate' | 'missed' {
  const meets = (bound: number) => (more ? value >= bound : value <= bound)
  if (meets(goal)) return 'goal'
  return meets(gate) ? 'gate' : 'missed'
}

const shown = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 2)

export function printFigure(figure: Figure): void {
  const { name, value, unit, goal, gate, of } = figure
  const mark = { goal: 'goal reached', gate: 'gate held', missed: 'GATE MISSED' }[reached(figure)]
  const bounds = `(goal ${Number(shown(goal))}, gate ${Number(shown(gate))})`
  print(
    `  ${name.padEnd(52)} ${shown(value).padStart(8)} ${unit.padEnd(8)} ${bounds.padEnd(26)} ${mark}${of ? `   ${of}` : ''}`,
  )
}
