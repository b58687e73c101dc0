import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'
import type { Services } from './services.ts'

/** `GET /healthz`: the process answers. `GET /readyz`: it can serve, the database included. */
export function healthRoutes(
  app: FastifyInstance,
  services: Services & { readonly ready: () => boolean },
): void {
  app.get('/healthz', { config: { scope: 'public' } }, async () => ({ status: 'ok' }))

  app.get('/readyz', { config: { scope: 'public' } }, async () => {
    if (!services.ready()) {
      throw new ServiceError('overloaded', 'The service is shutting down.', { retryAfterSeconds: 2 })
    }
    await services.database.system.execute('select 1')
    return { status: 'ok' }
  })
}
