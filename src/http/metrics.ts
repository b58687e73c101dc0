import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { notFound } from '../errors.ts'

/** `GET /metrics` for Prometheus, behind a token of its own; without one in the settings there is no such route. */
export function registerMetrics(app: FastifyInstance, registry: Registry, token: string | undefined): void {
  if (token === undefined) return
  const expected = Buffer.from(`Bearer ${token}`)
  app.get('/metrics', { config: { scope: 'public' } }, async (request, reply) => {
    const sent = Buffer.from(request.headers.authorization ?? '')
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) throw notFound()
    return reply.header('content-type', registry.contentType).send(await registry.metrics())
  })
}
