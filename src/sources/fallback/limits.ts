/** Bounds of what the service asks of the publisher. */
export type FallbackLimits = {
  /** Maximum time of one lookup, in milliseconds, including the time until the text can be read. */
  readonly lookupMs: number
  /** Maximum time of storing a section, in milliseconds. A lookup that ends earlier does not stop it. */
  readonly storeMs: number
  /** Maximum bytes of one reply. */
  readonly replyBytes: number
  /** Maximum number of passages of one section, in one version. */
  readonly passages: number
  /**
   * Maximum number of texts of a stored version that grows by a section. A version is stored as a whole, because its
   * document numbers have no gaps. One section more rewrites all of it, about a second per thousand texts, while no import
   * can write: see docs/importing.md, Large versions.
   */
  readonly versionTexts: number
  /** Maximum number of fetches of a process in each window of `perSeconds`, which begins with a fetch. */
  readonly fetches: number
  readonly perSeconds: number
  /** Maximum number of refs asked for in one turn. */
  readonly perTurn: number
  /** First pause after a failure, in milliseconds. It doubles with each further failure. */
  readonly pauseMs: number
  /** Time for which a negative answer is remembered, in milliseconds. */
  readonly rememberMs: number
}

export const standardLimits: FallbackLimits = {
  lookupMs: 3_000,
  storeMs: 10_000,
  replyBytes: 1024 * 1024,
  passages: 500,
  versionTexts: 3_000,
  fetches: 10,
  perSeconds: 30,
  perTurn: 5,
  pauseMs: 30_000,
  rememberMs: 3_600_000,
}
