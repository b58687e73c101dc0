export type TurnLimits = {
  /** Wall-clock bound of a turn, waiting included. */
  readonly turnSeconds: number
  /** What a turn may cost at most, however many steps it takes. */
  readonly maxMicros: bigint
}

export const defaultTurnLimits: TurnLimits = Object.freeze({ turnSeconds: 1_800, maxMicros: 50_000_000n })
