/** A parser under test: its seed inputs, and the guarantees for every input. */
export type Target = {
  readonly name: string
  readonly seeds: readonly (string | Buffer)[]
  /** Pieces with a meaning in the format. */
  readonly dictionary: readonly string[]
  /** Files whose blocks count as coverage, by a part of their URL. */
  readonly covers: readonly string[]
  /** Longest input, in bytes. */
  readonly most: number
  /** @throws when a guarantee does not hold. */
  check(input: Buffer): void | Promise<void>
  close?(): Promise<void>
}

/** @throws Error with the found values when `holds` is false. */
export function require(holds: boolean, promise: string, ...found: readonly unknown[]): asserts holds {
  if (!holds) throw new Error(`${promise}: ${found.map((item) => JSON.stringify(item)).join(' / ')}`)
}
