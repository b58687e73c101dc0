import { loadavg } from 'node:os'

/** The times of one query: of each round in milliseconds. */
export type QueryTimes = { readonly kind: string; readonly search: number[]; readonly floor: number[] }

export const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export function loadNow(): string {
  return loadavg()[0]?.toFixed(1) ?? '?'
}

/** Prints 50th and 95th percentiles over the queries beside those of the floor, and their ratios. */
export function printTimes(
  what: string,
  times: readonly QueryTimes[],
  ofRounds: (rounds: readonly number[]) => number,
): void {
  const search = times.map((one) => ofRounds(one.search))
  const floor = times.map((one) => ofRounds(one.floor))
  const parts = [0.5, 0.95].map((share) => {
    const [own, least] = [percentile(search, share), percentile(floor, share)]
    return `p${share * 100} ${own.toFixed(1)} ms, floor ${least.toFixed(1)} ms, ratio ${(own / least).toFixed(1)}`
  })
  print(`${what.padEnd(34)} ${parts.join('; ')}`)
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}
