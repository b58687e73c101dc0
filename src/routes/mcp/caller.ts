import type { FastifyReply } from 'fastify'
import type { Principal } from '../../accounts/principal.ts'
import type { LibraryLimits } from '../../http/limits/work-limits.ts'
import type { Services } from '../../turns/services.ts'

/** The request that a server serves: who sends it, and what its tools need. */
export type Caller = {
  readonly services: Services
  readonly limits: LibraryLimits
  readonly principal: Principal
  /** The address of this service for the client, without a trailing slash. */
  readonly origin: string
  /** Aborted when the client disconnects before its reply is complete. */
  readonly left: AbortSignal
  readonly reply: FastifyReply
}
