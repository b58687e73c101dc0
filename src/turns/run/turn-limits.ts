export type TurnLimits = {
  /** Maximum duration of a turn in seconds, including its time in the queue. */
  readonly turnSeconds: number
  /** Maximum cost of a turn in micro-credits, over all its steps. */
  readonly maxMicros: bigint
}

export const defaultTurnLimits: TurnLimits = Object.freeze({ turnSeconds: 1_800, maxMicros: 50_000_000n })
