import type { ServerResponse } from 'node:http'
import type { Principal } from '../../accounts/principal.ts'
import type { KeyScope } from '../../accounts/scopes.ts'
import type { Executor } from '../../db/client.ts'
import type { Span } from '../../tracing.ts'

/** Finds the resource a path names, for the one who asks; undefined when it is missing or out of reach. */
export type ResourceLookup = (
  executor: Executor,
  principal: Principal,
  params: Readonly<Record<string, string>>,
) => Promise<object | undefined>

declare module 'fastify' {
  interface FastifyInstance {
    /** Told of each reply that streams events; set while metrics are kept. */
    streamOpened?: (response: ServerResponse) => void
  }
  interface FastifyContextConfig {
    /**
     * Who may call the route: a scope, any valid key, or everybody; `page`: people, whose session the pages look at
     * themselves. A route without it refuses to boot.
     */
    scope?: KeyScope | 'any-key' | 'public' | 'page'
    /** Looked up before the scope is asked for: a thing one cannot see is a 404 whatever the key may do. */
    resource?: ResourceLookup
    /** Nothing comes of the request unless its key is found to work once more: one of the last second is believed. */
    allowsCachedKey?: boolean
  }
  interface FastifyRequest {
    principal: Principal | null
    resource: object | null
    /** Set while traces are sent. */
    span: Span | null
  }
  interface FastifyReply {
    /** The code of the failure that the reply tells; empty when it is none. */
    errorCode: string
  }
}
