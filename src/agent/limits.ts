/** The limits of one turn. */
export type LoopLimits = {
  /** Maximum model calls per turn. The last call gets no tools, so that it must answer. */
  readonly modelCalls: number
  readonly parallelTools: number
  /** Maximum UTF-8 bytes of all tool results of the turn. */
  readonly toolBytes: number
  /** Maximum visible text of the turn, in UTF-16 units. */
  readonly textLength: number
  /** Maximum identical calls (same name and arguments). */
  readonly repeatedCalls: number
  /** Maximum estimated tokens of the conversation in one model call, see `fitContext`. */
  readonly contextTokens: number
}

export const defaultLimits: LoopLimits = Object.freeze({
  modelCalls: 12,
  parallelTools: 4,
  toolBytes: 400_000,
  textLength: 200_000,
  repeatedCalls: 2,
  contextTokens: 96_000,
})
