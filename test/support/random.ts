/** mulberry32: a small, fast generator with equal results on all platforms. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A sequence of choices that a seed makes repeatable. */
export type Random = {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number
  /** A number from `low` (included) to `high` (excluded). */
  between(low: number, high: number): number
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly [T, ...T[]]): T
  /** A separate sequence for one purpose; draws from it do not change the draws from this one. */
  fork(purpose: string): Random
}

export function seededRandom(seed: number): Random {
  const next = randomFrom(seed)
  const between = (low: number, high: number) => low + next() * (high - low)
  const whole = (low: number, high: number) => Math.floor(between(low, high + 1))
  return {
    next,
    between,
    whole,
    chance: (probability) => next() < probability,
    pick: (items) => items[whole(0, items.length - 1)] ?? items[0],
    fork: (purpose) => seededRandom(hashText(`${seed}/${purpose}`)),
  }
}

/** FNV-1a, 32 bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}
