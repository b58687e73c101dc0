import type { ServerResponse } from 'node:http'
import type { Principal } from '../../accounts/principal.ts'
import type { KeyScope } from '../../accounts/scopes.ts'
import type { Executor } from '../../db/client.ts'
import type { Span } from '../../tracing.ts'

/**
 * Finds the resource that a path names.
 * @param id the parameter `id` of the path.
 * @returns undefined when it does not exist or the principal may not see it.
 */
export type ResourceLookup = (
  executor: Executor,
  principal: Principal,
  id: string,
  params: Readonly<Record<string, string>>,
) => Promise<object | undefined>

declare module 'fastify' {
  interface FastifyInstance {
    /** Listener for each reply that streams events; set only if metrics are on. */
    streamOpened?: (response: ServerResponse) => void
  }
  interface FastifyContextConfig {
    /**
     * Who may call the route: keys with a scope, any valid key, or everybody. The pages check the visitor's
     * session themselves in `page` routes. A route without this setting stops the start of the service.
     */
    scope?: KeyScope | 'any-key' | 'public' | 'page'
    /** Runs before the check of the scope: an invisible resource is a 404 for every scope. */
    resource?: ResourceLookup
    /**
     * The key may come from the cache of the last second, because the route checks it again in its
     * transaction.
     */
    allowsCachedKey?: boolean
  }
  interface FastifyRequest {
    principal: Principal | null
    resource: object | null
    /** Set while traces are sent. */
    span: Span | null
  }
  interface FastifyReply {
    /** Error code of the reply; empty for a success. */
    errorCode: string
  }
}
