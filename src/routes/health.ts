import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../errors.ts'
import type { BodyOf, RouteDocs } from '../http/openapi/docs.ts'
import type { Services } from '../turns/services.ts'
import { version } from '../version/version.ts'

const healthy = z
  .object({
    status: z.literal('ok'),
    version: z.string().describe('Such as `0.3.0+1a2b3c4d`, with its commit'),
  })
  .meta({ id: 'Health' })

const readiness = z
  .object({
    status: z.literal('ok'),
    library: z.enum(['ok', 'read-only', 'unavailable']).optional(),
  })
  .meta({ id: 'Readiness' })

const alive: RouteDocs = { summary: 'Whether the process answers', tag: 'Service', response: healthy }
const ready: RouteDocs = {
  summary: 'Whether it can serve',
  description:
    'Asks the database too. 503 while it is read-only and while the service shuts down, so that a balancer sends nobody here. `library` is the state of a separate library database (`LIBRARY_DATABASE_URL`), absent without one; its outage leaves the service ready.',
  tag: 'Service',
  response: readiness,
  errors: ['overloaded', 'database_unavailable'],
}

type LibraryStateOf = () => BodyOf<typeof readiness>['library']

/**
 * `GET /healthz`: the process answers. `GET /readyz`: the process can serve requests, which includes the
 * database.
 */
export function healthRoutes(
  app: FastifyInstance,
  services: Services & { readonly ready: () => boolean; readonly libraryState?: LibraryStateOf | undefined },
): void {
  const healthz: BodyOf<typeof healthy> = { status: 'ok', version }
  const ok: BodyOf<typeof readiness> = { status: 'ok' }

  app.get('/healthz', { config: { scope: 'public', docs: alive } }, async () => healthz)

  app.get('/readyz', { config: { scope: 'public', docs: ready } }, async () => {
    if (!services.ready()) {
      throw new ServiceError('overloaded', 'The service is shutting down. Use another replica.', {
        // Balancers ask every second. A planned shutdown is no failure.
        logged: true,
        retryAfterSeconds: 2,
      })
    }
    const { rows } = await services.database.system.execute<{ refuses: boolean }>(
      `select current_setting('transaction_read_only') = 'on' as refuses`,
    )
    if (rows[0]?.refuses)
      throw new ServiceError(
        'database_unavailable',
        'The database takes no writes. Try again in a few seconds.',
        {
          retryAfterSeconds: 2,
        },
      )
    const library = services.libraryState?.()
    return library === undefined ? ok : { ...ok, library }
  })
}
