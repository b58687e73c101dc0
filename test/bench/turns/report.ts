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

export const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

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
