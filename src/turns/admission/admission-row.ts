/** What `admit_run_2` returns, as JSON. If `decision` is not `admitted`, nothing was written. Instants are texts. */
export type AdmissionRow = {
  readonly decision: string
  /** The account's plan. Set if it is not the plan of the call. */
  readonly plan: string
  /** Replicas that must first report whether their clients of equal requests are connected. */
  readonly replicas: readonly string[] | null
  /** The run that the request repeats, and the state of its client when it was found. */
  readonly known_run: string
  readonly known_client_at: string | null
  readonly known_client_closed: boolean
  /** Seconds until the oldest turn of the rate limit's window leaves it. */
  readonly seconds: number | null
  /**
   * Micro-credits that the account can spend; for a spending cap of the key, what the cap leaves. Exact if they decide: a
   * hold is far below 2^53.
   */
  readonly available: number
  /** The limit of the key that refuses: turns, sessions, or micro-credits. */
  readonly key_limit: number | null
  readonly project: string
  /** Hash of the project's instructions that the turn follows. */
  readonly project_instructions: string | null
  readonly turn: number
  /** Of an admitted turn the hold; of a refused one what it had to hold, if that was known. */
  readonly held: number | null
  readonly account_turn: number
  /** The server's time if the call came late. */
  readonly created_at: string
  readonly deadline_at: string
  readonly lease_expires_at: string | null
  readonly started_at: string | null
}
