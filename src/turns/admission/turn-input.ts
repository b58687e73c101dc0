import type { ModelMessage } from '../../agent/provider.ts'
import type { Run } from '../run/run.ts'
import type { RunRequest } from '../run/run-request.ts'
import type { Attachments } from '../sessions/attachments.ts'
import type { RequestIdentity } from './idempotency.ts'

/** What a client asks for, checked, and what it may cost. */
export type TurnInput = {
  readonly model: string
  /** What the first model call may cost: set aside at the start, and extended before each further call. */
  readonly firstCallMicros: bigint
  /** Every message the client sent, in order. */
  readonly messages: readonly ModelMessage[]
  /** The files that the messages bring along. */
  readonly attachments?: Attachments
  readonly sessionId: string | undefined
  readonly projectId: string | undefined
  /** The turn of the named session that this one goes on from; undefined: from whatever was said last. */
  readonly after?: Run
  readonly request: RunRequest
  readonly identity: RequestIdentity
  readonly onDisconnect: 'continue' | 'cancel'
}
