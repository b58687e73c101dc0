import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../errors.ts'
import { unixSeconds } from '../http/lists.ts'
import { type BodyOf, instant, type RouteDocs } from '../http/openapi/docs.ts'
import type { ServerState } from '../models/reachability.ts'
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
    models: z
      .array(
        z.object({
          model: z.string(),
          server: z.string().describe('The `label` or `name` of the server in the settings'),
          reachable: z.boolean().describe('Whether it took the last connection, which is tried every minute'),
          since: instant.describe('When this was first seen, in Unix seconds'),
        }),
      )
      .optional()
      .describe('Only with `details`: the servers of models that have an address in the settings'),
    files: z
      .object({
        store: z.string().describe('The setting `FILES_URL`'),
        reachable: z.boolean().describe('Whether it answered last; it is asked every minute'),
        since: instant.describe('When this was first seen, in Unix seconds'),
      })
      .optional()
      .describe('Only with `details`: the store of files outside of Postgres'),
  })
  .meta({ id: 'Readiness' })

const alive: RouteDocs = { summary: 'Whether the process answers', tag: 'Service', response: healthy }
const ready: RouteDocs = {
  summary: 'Whether it can serve',
  description:
    'Asks the database too. 503 while it is read-only and while the service shuts down, so that a balancer sends nobody here. `library` is the state of a separate library database (`LIBRARY_DATABASE_URL`), absent without one; its outage leaves the service ready. So does a server of a model, or a store of files, that cannot be reached: `?details` shows them.',
  tag: 'Service',
  response: readiness,
  errors: ['overloaded', 'database_unavailable'],
}

/** `?details` alone asks for them too. */
const query = z.object({
  details: z.string().max(10).optional().describe('Any value, also none: adds `models` and `files`'),
})

/** Whether the store of files outside of Postgres answered last, and since when. */
export type FileStoreState = { readonly store: string; readonly reachable: boolean; readonly since: Date }

type LibraryStateOf = () => BodyOf<typeof readiness>['library']

/**
 * `GET /healthz`: the process answers. `GET /readyz`: the process can serve requests, which includes the
 * database.
 */
export function healthRoutes(
  app: FastifyInstance,
  services: Services & {
    readonly ready: () => boolean
    readonly libraryState?: LibraryStateOf | undefined
    readonly modelStates?: (() => readonly ServerState[]) | undefined
    readonly fileStoreState?: (() => FileStoreState | undefined) | undefined
  },
): void {
  const healthz: BodyOf<typeof healthy> = { status: 'ok', version }
  const ok: BodyOf<typeof readiness> = { status: 'ok' }

  app.get('/healthz', { config: { scope: 'public', docs: alive } }, async () => healthz)

  const readyz = { config: { scope: 'public' as const, docs: ready }, schema: { querystring: query } }
  app.get<{ Querystring: z.output<typeof query> }>('/readyz', readyz, async (request) => {
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
    if (request.query.details === undefined) return { ...ok, ...(library && { library }) }
    const models = services.modelStates?.().map(stateBody)
    const store = services.fileStoreState?.()
    const files = store && stateBody(store)
    return { ...ok, ...(library && { library }), ...(models && { models }), ...(files && { files }) }
  })
}

function stateBody<State extends { readonly since: Date }>({ since, ...state }: State) {
  return { ...state, since: unixSeconds(since) }
}
