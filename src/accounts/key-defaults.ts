/**
 * What a request of an API key means where it does not say it, for clients that cannot send headers or fields. A
 * member that is absent leaves the default of the service.
 */
export type KeyDefaults = {
  /** The model of a request without `model`. */
  readonly model?: string
  readonly onDisconnect?: 'continue' | 'cancel'
  /** Groups of the agent's tools; empty: none. */
  readonly tools?: readonly string[]
  readonly citationStyle?: 'numbers' | 'links'
  /** Maximum tokens of each reply of the model. */
  readonly maxOutputTokens?: number
  /** Maximum cost of a turn, in micro-credits. */
  readonly maxCostMicros?: number
  /** Whether a request that sends the history of a session again continues that session. */
  readonly continueHistory?: boolean
}
