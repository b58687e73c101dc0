/** Identifies one intended request of a client. Retries have the same identity. */
export type RequestIdentity = {
  /** SHA-256 over route, session channel, user and body. */
  readonly hash: Buffer
  /** The client's own `Idempotency-Key`. It belongs to one API key. */
  readonly key: string | undefined
  /** Whether the client marks the request as a retry (`X-Stainless-Retry-Count` above zero). */
  readonly retried: boolean
}

/** Hours for which an `Idempotency-Key` is remembered. */
export const keyHours = 24

/**
 * The retry window, in minutes, for requests without an `Idempotency-Key`. Within it, an equal request of the
 * same API key returns the earlier run if the client marks it as a retry, or if the run's client disconnected
 * before its reply was complete. Equal requests on two open connections start two turns, because a back end
 * serves many people with one API key.
 */
export const retryWindowMinutes = 15
