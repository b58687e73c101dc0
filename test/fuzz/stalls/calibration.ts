import { runningMs } from '../../support/running-clock.ts'

/**
 * Duration of `exercise` on the reference machine of the limits: an idle cloud server of 2024 with two cores.
 * Median of 50 runs.
 */
const referenceMs = 25

/** How many times slower than the reference this machine is now; each value is at least 1. */
export type Slowness = {
  /** The processor: median of some runs, in CPU time of this process. */
  readonly processor: number
  /** The machine: the slowest of these runs by the wall clock, because other work comes in bursts. */
  readonly machine: number
}

const runs = 5

export function measureSlowness(): Slowness {
  const taken = Array.from({ length: runs }, () => {
    const [began, wallBegan] = [runningMs(), performance.now()]
    exercise()
    return { running: runningMs() - began, wall: performance.now() - wallBegan }
  })
  const median = taken.map(({ running }) => running).toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? 0
  const slowest = Math.max(...taken.map(({ wall }) => wall))
  return { processor: Math.max(1, median / referenceMs), machine: Math.max(1, slowest / referenceMs) }
}

/** Work like that of a service: builds, parses, searches and joins text. */
function exercise(): number {
  const items = Array.from({ length: 24_000 }, (_, n) => ({
    n,
    text: `item ${n} of a list`,
    tags: [n, n + 1],
  }))
  const text = JSON.stringify(items)
  const read = JSON.parse(text) as typeof items
  const words = new Map<string, number>()
  for (const { text: words_ } of read)
    for (const word of words_.split(' ')) words.set(word, (words.get(word) ?? 0) + 1)
  return text.replaceAll(/\d+ of/g, '-').length + words.size
}
