import cors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Reply headers that a script of an allowed origin may read, in addition to the CORS-safelisted ones. */
const exposedHeaders: readonly string[] = [
  'link',
  'x-request-id',
  'x-service-project-id',
  'x-service-session-id',
  'x-service-run-id',
  'x-service-message-id',
  'x-service-files',
  'idempotency-replayed',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'retry-after',
  'x-should-retry',
  'etag',
  'accept-ranges',
  'content-range',
  'content-disposition',
]

const preflightSeconds = 600

/**
 * Lets pages of the given origins call `/v1` and `/mcp` from a browser, without cookies. The service's own pages stay
 * closed to other origins. Runs before authentication, so that scripts can read refusals.
 */
export async function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  app.addHook('onRoute', (route) => {
    // The plugin's own route for preflights, which carry no key.
    if (route.method === 'OPTIONS') route.config = { ...route.config, scope: 'public' }
  })
  const allowed = {
    origin: [...origins],
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: [...exposedHeaders],
    maxAge: preflightSeconds,
  }
  await app.register(cors, {
    delegator: (request: FastifyRequest, done) => done(null, isApi(request) ? allowed : { origin: false }),
  })
}

function isApi({ url }: FastifyRequest): boolean {
  return /^\/(v1\/|openapi\.json$|mcp(\?|$)|\.well-known\/)/.test(url)
}
