import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { KeyCache } from '../accounts/keys/key-cache.ts'
import type { KeyLookup } from '../accounts/keys/key-lookup.ts'
import { noApiAccess } from '../accounts/plans.ts'
import { type Principal, requireScope } from '../accounts/principal.ts'
import { isInRanges } from '../addresses/address-ranges.ts'
import { type Database, withTx } from '../db/client.ts'
import { databaseFault, isTransient } from '../db/errors.ts'
import { notFound, ServiceError } from '../errors.ts'
import { defaultProjectId } from '../turns/sessions/projects.ts'
import { clientAddress } from './connection/client-address.ts'
import type {} from './connection/fastify.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import { sentKey } from './sent-key.ts'

export type AuthServices = {
  readonly database: Database
  readonly findKey: KeyLookup
  readonly rateLimits: RateLimits
}

/**
 * Turns a key into a principal before any other work. Checks in this order: valid key (401), suspended
 * account (403), address (403), plan (403), requests per minute (429), visibility of the resource in the path (404),
 * scope (403).
 */
export function registerAuth(app: FastifyInstance, services: AuthServices): void {
  const known = new KeyCache()
  app.decorateRequest('principal', null)
  app.decorateRequest('resource', null)

  app.addHook('onRoute', (route) => {
    if (!route.config?.scope) throw new Error(`route ${route.method} ${route.url} declares no scope`)
  })

  app.addHook('onRequest', async (request, reply) => {
    const { scope, resource, allowsCachedKey } = request.routeOptions.config
    if (request.is404 || scope === undefined || scope === 'public' || scope === 'page') return
    const principal = await authorizeRequest(services, request, reply, allowsCachedKey ? known : undefined)
    request.principal = principal
    if (resource) {
      const params = printable(request.params as Record<string, string>)
      const found = await withTx(services.database, principal, (tx) =>
        resource(tx, principal, params['id'] ?? '', params),
      )
      if (!found) throw notFound()
      request.resource = found
    }
    if (scope !== 'any-key') requireScope(principal, scope)
  })
}

/**
 * Authenticates and counts a request to the API. The first request of a dedicated key creates its project.
 * @throws ServiceError in this order: valid key (401), suspended account (403), address (403), plan (403), requests
 * per minute (429).
 */
export async function authorizeRequest(
  services: AuthServices,
  request: FastifyRequest,
  reply: FastifyReply,
  known?: KeyCache,
): Promise<Principal> {
  const principal = await authenticate(request, services, known)
  if (!principal.plan.apiAccess) throw noApiAccess(principal.plan.name)
  await services.rateLimits.countRequest(principal, reply)
  return withOwnProject(services.database, principal)
}

/** Creates the project of a dedicated key that has none yet. A read-only database must not lock the key out. */
async function withOwnProject(database: Database, principal: Principal): Promise<Principal> {
  const { kind, projectId } = principal.binding
  if (kind !== 'dedicated' || projectId !== null) return principal
  try {
    const created = await withTx(database, principal, (tx) => defaultProjectId(tx, principal))
    return { ...principal, binding: { kind, projectId: created } }
  } catch (error) {
    const fault = databaseFault(error)
    if (!fault || !isTransient(fault)) throw error
    return principal
  }
}

async function authenticate(
  request: FastifyRequest,
  services: AuthServices,
  known: KeyCache | undefined,
): Promise<Principal> {
  const sent = sentKey(request.headers)
  const principal = 'key' in sent ? await services.findKey(sent.key, known) : undefined
  if (principal && isAllowedFrom(principal, request)) return principal
  await services.rateLimits.countInvalidKey(clientAddress(request))
  if (principal) {
    throw new ServiceError(
      'address_not_allowed',
      `This API key may not be used from the address ${request.ip}. Use it from an allowed one, or change its allowed addresses.`,
    )
  }
  throw new ServiceError(
    'invalid_api_key',
    'key' in sent
      ? `The API key is not valid: it is mistyped, unknown, revoked or expired. Check it, or create a new one.${sent.advice}`
      : sent.fault,
  )
}

function isAllowedFrom({ allowedAddresses: allowed }: Principal, { ip }: FastifyRequest): boolean {
  return !allowed || isInRanges(ip, allowed)
}

/** Postgres refuses the NUL character and no id contains it. An id with NUL therefore matches nothing. */
function printable(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, value.replaceAll('\0', '\ufffd')]),
  )
}

/** The principal of a request. The auth hook sets it for every route that is not public. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('this route has no principal')
  return request.principal
}

/** The resource that the path names, as the route's `resource` look-up returned it. */
export function resourceOf<T extends object>(request: FastifyRequest): T {
  if (!request.resource) throw new Error('this route has no resource')
  return request.resource as T
}
