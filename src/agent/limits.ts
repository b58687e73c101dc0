/** What bounds one turn of the loop. */
export type LoopLimits = {
  /** Model calls in one turn; the last one may use no tools, so that it has to answer. */
  readonly modelCalls: number
  readonly parallelTools: number
  /** UTF-8 bytes of all tool results of the turn. */
  readonly toolBytes: number
  /** Visible text of the turn, in UTF-16 units. */
  readonly textLength: number
  /** Identical calls (name and arguments) that are still run. */
  readonly repeatedCalls: number
  /** Tokens (estimated) of the conversation that one model call is given, see `fitContext`. */
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
