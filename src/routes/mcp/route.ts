import type { AuthInfo } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { principalOf } from '../../http/auth.ts'
import { disconnectSignal } from '../../http/connection/disconnect.ts'
import { bodyBytes } from '../../http/limits/bounds.ts'
import type { LibraryLimits } from '../../http/limits/work-limits.ts'
import { originOf } from '../../http/origin.ts'
import type { Services } from '../../turns/services.ts'
import type { Caller } from './caller.ts'
import type { createLibraryHandler } from './server.ts'

/** RFC 9728: where a client learns how to get access. The second path is the one for the resource `/mcp`. */
const metadataPath = '/.well-known/oauth-protected-resource'

/**
 * `/mcp`: the Model Context Protocol over Streamable HTTP, revision 2026-07-28 and those of 2025. Each request is
 * served alone, so any replica can answer it.
 */
export async function mcpRoutes(
  root: FastifyInstance,
  services: Services,
  limits: LibraryLimits,
  corsOrigins: readonly string[] = [],
): Promise<void> {
  let opened: Promise<ReturnType<typeof createLibraryHandler>> | undefined
  const handlerOf = () => {
    // The first request loads the packages of the protocol, because they take a seventh of the time of a start.
    opened ??= import('./server.ts').then(({ createLibraryHandler }) => createLibraryHandler(services.log))
    return opened
  }
  root.addHook('onClose', async () => (await opened)?.close())
  metadataRoutes(root, services)
  await root.register((app, _options, done) => {
    nameMetadata(app, services)
    refuseOtherOrigins(app, [...corsOrigins, ...(services.appUrl === undefined ? [] : [services.appUrl])])
    const config = { scope: 'sources:read' as const }
    app.post('/mcp', { config, bodyLimit: bodyBytes.turn }, async (request, reply) => {
      const caller = callerOf(request, reply, services, limits)
      const authInfo = authInfoOf(caller)
      const handler = await handlerOf()
      return reply.send(
        await handler.fetch(webRequest(request, caller), {
          authInfo,
          parsedBody: withArguments(request.body),
        }),
      )
    })
    // They belong to the sessions of older servers.
    app.route({
      method: ['GET', 'DELETE'],
      url: '/mcp',
      config: { scope: 'public' },
      handler: (_request, reply) => reply.status(405).header('allow', 'POST').send(),
    })
    done()
  })
}

/** Some clients send `arguments: null` for a tool without arguments, which the protocol's schema refuses. */
function withArguments(body: unknown): unknown {
  const { params } = (body ?? {}) as { readonly params?: { readonly arguments?: unknown } }
  return params?.arguments === null ? { ...(body as object), params: { ...params, arguments: {} } } : body
}

function metadataRoutes(root: FastifyInstance, services: Services): void {
  for (const url of [metadataPath, `${metadataPath}/mcp`]) {
    root.get(url, { config: { scope: 'public' } }, (request, reply) =>
      reply.send({
        resource: `${originOf(services, request)}/mcp`,
        resource_name: 'Library of chassidic texts',
        resource_documentation: `${originOf(services, request)}/docs`,
        scopes_supported: ['sources:read', 'chat:write', 'sessions:write'],
        bearer_methods_supported: ['header'],
      }),
    )
  }
}

/** The token stays out: no tool needs it. */
function authInfoOf(caller: Caller): AuthInfo {
  const { accountId, scopes } = caller.principal
  return { token: '', clientId: accountId, scopes: [...scopes], extra: { caller } }
}

/** Names the metadata in the answer to a request without a valid key, as clients expect (RFC 9728, section 5.1). */
function nameMetadata(app: FastifyInstance, services: Services): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode === 401) {
      const url = `${originOf(services, request)}${metadataPath}/mcp`
      reply.header('www-authenticate', `Bearer resource_metadata="${url}"`)
    }
    return payload
  })
}

/**
 * Refuses requests of pages that are not allowed to call the API, as the specification requires (Streamable HTTP,
 * security warning). Programs send no `Origin`.
 */
function refuseOtherOrigins(app: FastifyInstance, allowed: readonly string[]): void {
  const origins = new Set(allowed.map((url) => new URL(url).origin))
  app.addHook('onRequest', async ({ headers: { origin } }, reply) => {
    if (origin === undefined || origins.has(origin) || isLoopback(origin)) return
    const message = `Pages of "${origin}" may not call this service. Its operator can allow them with CORS_ORIGINS.`
    await reply.status(403).send({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null })
  })
}

function isLoopback(origin: string): boolean {
  return URL.canParse(origin) && ['localhost', '127.0.0.1', '[::1]'].includes(new URL(origin).hostname)
}

function callerOf(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  limits: LibraryLimits,
): Caller {
  return {
    services,
    limits,
    principal: principalOf(request),
    origin: originOf(services, request),
    left: disconnectSignal(reply),
    reply,
  }
}

function webRequest({ method, headers, url }: FastifyRequest, { origin, left }: Caller): Request {
  const fields = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
  return new Request(new URL(url, origin || 'http://localhost'), { method, headers: fields, signal: left })
}
