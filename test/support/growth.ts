import { expect } from 'vitest'
import { runningMs } from './running-clock.ts'

/** Size of the whole input in pieces. */
const parts = 8

/**
 * The ratio is 1 for linear work and 8 for quadratic work; garbage collection and caches add to the larger
 * input: up to 3 on a busy machine.
 */
const maxGrowth = 4

/** On a busy machine most rounds are disturbed; the best of them counts. */
const repeats = 12

/** A piece that takes this long is measured once, a shorter one up to eight times. */
const enoughMs = 10

/**
 * Fails when work is more than linear: when one input of `size` takes over four times as long as eight inputs of
 * an eighth of it. Time that other processes had on the core does not count, see `runningMs`.
 *
 * @param make creates an input of a size; its time is not measured.
 * @param size large enough that quadratic work would dominate.
 */
export async function expectLinear<T>(
  make: (size: number) => T,
  work: (input: T) => unknown,
  size: number,
): Promise<void> {
  const [whole, piece] = [make(size), make(Math.round(size / parts))]
  // Compiles the code first: an interpreted piece would be as slow as a quadratic whole.
  await costOf(piece, work)
  let [wholeCost, pieceCost] = [Infinity, Infinity]
  for (let n = 0; n < repeats; n += 1) {
    pieceCost = Math.min(pieceCost, await costOf(piece, work))
    wholeCost = Math.min(wholeCost, await costOf(whole, work))
    if (wholeCost <= maxGrowth * parts * pieceCost) return
  }
  expect.fail(`it took ${(wholeCost / parts / pieceCost).toFixed(1)} times as long as its eighths`)
}

/** Average milliseconds per run. */
async function costOf<T>(input: T, work: (input: T) => unknown): Promise<number> {
  const began = runningMs()
  for (let times = 1; ; times += 1) {
    await work(input)
    const taken = runningMs() - began
    // The two clocks are read one after the other, so a time can come out negative on a busy machine.
    if (taken > 0 && (times >= parts || taken > enoughMs)) return taken / times
  }
}
