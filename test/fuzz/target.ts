/** A parser under test: what it starts from, and what must hold for every input. */
export type Target = {
  readonly name: string
  readonly seeds: readonly (string | Buffer)[]
  /** Pieces that the format gives a meaning. */
  readonly dictionary: readonly string[]
  /** Files whose blocks count as new ground, by a part of their address. */
  readonly covers: readonly string[]
  /** Longest input, in bytes. */
  readonly most: number
  /** @throws when a promise is broken. */
  check(input: Buffer): void | Promise<void>
  close?(): Promise<void>
}

/** @throws Error with what was found instead. */
export function require(holds: boolean, promise: string, ...found: readonly unknown[]): asserts holds {
  if (!holds) throw new Error(`${promise}: ${found.map((item) => JSON.stringify(item)).join(' / ')}`)
}
