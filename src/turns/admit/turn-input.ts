import type { ModelMessage } from '../../agent/provider.ts'
import type { Run } from '../run/run.ts'
import type { RunRequest } from '../run/run-request.ts'
import type { Attachments } from '../sessions/attachments.ts'

/** Identifies one intended request of a client. Retries have the same identity. */
type RequestIdentity = {
  /** SHA-256 over route, session channel, user and body. */
  readonly hash: Buffer
  /** The client's own `Idempotency-Key`. It belongs to one API key. */
  readonly key: string | undefined
  /** Whether the client marks the request as a retry (`X-Stainless-Retry-Count` above zero). */
  readonly retried: boolean
}

/** A checked request for a turn, and what it may cost. */
export type TurnInput = {
  readonly model: string
  /**
   * Maximum cost of the first model call, in micro-credits. The start holds this amount; each further call
   * extends the hold.
   */
  readonly firstCallMicros: bigint
  /**
   * Price of one token of the prompt, in micro-credits, if the turn follows the instructions of its project. The hold
   * grows by their tokens. Undefined: it follows none.
   */
  readonly tokenMicros?: bigint
  /** Maximum cost of the turn, in micro-credits, at most that of the service. Undefined: that of the service. */
  readonly maxMicros?: bigint
  /** Every message the client sent, in order. */
  readonly messages: readonly ModelMessage[]
  /** The files that the messages refer to or contain. */
  readonly attachments?: Attachments
  readonly sessionId: string | undefined
  readonly projectId: string | undefined
  /** The turn of the named session to continue from. Undefined: the newest one. */
  readonly after?: Pick<Run, 'turn'>
  /** Hash of the conversation with these messages, for requests that continue it (see `resent`). */
  readonly transcript?: Buffer | undefined
  readonly request: RunRequest
  readonly identity: RequestIdentity
  readonly onDisconnect: 'continue' | 'cancel'
}
