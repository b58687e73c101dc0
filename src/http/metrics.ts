import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { notFound } from '../errors.ts'

/**
 * Serves `GET /metrics` for Prometheus, protected by its own token. Without a token in the settings the route
 * does not exist.
 */
export function registerMetrics(app: FastifyInstance, registry: Registry, token: string | undefined): void {
  if (token === undefined) return
  const expected = Buffer.from(`Bearer ${token}`)
  app.get('/metrics', { config: { scope: 'public' } }, async (request, reply) => {
    const sent = Buffer.from(request.headers.authorization ?? '')
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) throw notFound()
    return reply.header('content-type', registry.contentType).send(await registry.metrics())
  })
}

/** A request with a finished reply. */
type Finished = {
  /** The route's template. The path itself would create a label per id. */
  readonly route: string
  readonly method: string
  /** HTTP status; 0 when the client disconnected before the reply. */
  readonly status: number
  /** Error code of a refusal; empty for a success. */
  readonly code: string
  readonly seconds: number
}

export type HttpMetrics = { finished(request: Finished): void }

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600, 1_800]

/** Registers the metrics of requests and counts the open streams of `app`. */
export function createHttpMetrics(app: FastifyInstance, registry: Registry): HttpMetrics {
  const registers = [registry]
  const requests = new Counter({
    name: 'service_http_requests_total',
    help: 'Requests by route, method and status; status 0 when the client left before there was one',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const duration = new Histogram({
    name: 'service_http_request_duration_seconds',
    help: 'From the head of a request to the end of its reply, streams included',
    labelNames: ['route', 'method'],
    buckets,
    registers,
  })
  const errors = new Counter({
    name: 'service_http_errors_total',
    help: 'Refusals and failures by the code in their body',
    labelNames: ['code'],
    registers,
  })
  countStreams(app, registry)
  return {
    finished({ route, method, status, code, seconds }) {
      requests.inc({ route, method, status })
      duration.observe({ route, method }, seconds)
      if (code !== '') errors.inc({ code })
    },
  }
}

function countStreams(app: FastifyInstance, registry: Registry): void {
  const open = new Gauge({
    name: 'service_open_streams',
    help: 'Streams of server-sent events that clients read now',
    registers: [registry],
  })
  app.decorate('streamOpened', (response) => {
    // The client has disconnected already: `close` does not come again.
    if (response.destroyed) return
    open.inc()
    response.once('close', () => open.dec())
  })
}
