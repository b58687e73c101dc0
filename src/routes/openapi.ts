import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { ApiDescription } from '../http/openapi/document.ts'

const docs = {
  summary: 'This description',
  description: 'An OpenAPI 3.1 document, the same with a key and without.',
  tag: 'Service',
  response: z.looseObject({ openapi: z.string() }),
} as const

/**
 * `GET /openapi.json` for everybody; `GET /v1/openapi.json` for clients that know only a base URL and a key.
 */
export function openApiRoutes(app: FastifyInstance, api: ApiDescription): void {
  const send = (_request: unknown, reply: FastifyReply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(api.json())
  app.get('/openapi.json', { config: { scope: 'public', docs } }, send)
  app.get('/v1/openapi.json', { config: { scope: 'any-key', docs } }, send)
}
