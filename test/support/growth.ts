import { expect } from 'vitest'
import { runningMs } from './running-clock.ts'

/** How many times as long as its pieces the whole input is. */
const parts = 8

/** Linear work has 1, quadratic work 8; garbage collection and caches add to the larger input. */
const maxGrowth = 3

const repeats = 4

/** A piece that takes this long is measured once, and a shorter one up to eight times. */
const enoughMs = 25

/**
 * Fails when work is more than linear: when one input of `size` takes over three times as long as eight inputs of an
 * eighth of it. Time in which the kernel gave the core to other processes does not count, see `runningMs`.
 *
 * @param make the input of a size; what it takes is not measured.
 * @param size at which quadratic work would outweigh everything else.
 */
export async function expectLinear<T>(
  make: (size: number) => T,
  work: (input: T) => unknown,
  size: number,
): Promise<void> {
  const [whole, piece] = [make(size), make(Math.round(size / parts))]
  // Compiles the code: an interpreted first piece would look as dear as a slow whole.
  await costOf(piece, work)
  let [wholeCost, pieceCost] = [Infinity, Infinity]
  for (let n = 0; n < repeats; n += 1) {
    pieceCost = Math.min(pieceCost, await costOf(piece, work))
    wholeCost = Math.min(wholeCost, await costOf(whole, work))
    if (wholeCost <= maxGrowth * parts * pieceCost) return
  }
  expect.fail(`it took ${(wholeCost / parts / pieceCost).toFixed(1)} times as long as its eighths`)
}

/** Milliseconds of one run, on average. */
async function costOf<T>(input: T, work: (input: T) => unknown): Promise<number> {
  const began = runningMs()
  for (let times = 1; ; times += 1) {
    await work(input)
    const taken = runningMs() - began
    if (times === parts || taken > enoughMs) return taken / times
  }
}
