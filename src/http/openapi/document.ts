import type { FastifyInstance, RouteOptions } from 'fastify'
import type { z } from 'zod'
import type {} from '../connection/fastify.ts'
import { type JsonSchema, tags } from './docs.ts'
import { errorSchema } from './errors.ts'
import { headerComponents } from './headers.ts'
import { createSchemaWriter } from './json-schema.ts'
import { type DescribedRoute, operationOf, pathTemplate } from './operation.ts'

/** The OpenAPI document of the service; complete once the app is ready. */
export type ApiDescription = { json(): string }

/**
 * Collects every route that is mounted from now on. The first request for the OpenAPI document writes it, because that
 * takes longer than all other work of the app's start. A route under /v1 without docs stops the start; other routes
 * without docs stay out of the document.
 */
export function describeApi(app: FastifyInstance, name: string, version: string): ApiDescription {
  const routes: DescribedRoute[] = []
  let json: string | undefined

  app.addHook('onRoute', (route) => {
    const { docs } = route.config ?? {}
    if (!docs && route.url.startsWith('/v1/')) {
      throw new Error(`route ${route.method} ${route.url} has no docs`)
    }
    if (docs) routes.push(...described(route))
  })
  return {
    json() {
      json ??= JSON.stringify(openApiDocument(routes, name, version))
      return json
    },
  }
}

/** HEAD returns the headers of GET and needs no documentation of its own. */
function described({ method, url, config, schema }: RouteOptions): readonly DescribedRoute[] {
  const { docs, scope = 'public' } = config ?? {}
  if (!docs) return []
  return [method]
    .flat()
    .filter((one) => one !== 'HEAD')
    .map((one) => ({
      method: one,
      url,
      scope,
      docs,
      query: schema?.querystring as z.ZodType | undefined,
      body: schema?.body as z.ZodType | undefined,
    }))
}

const introduction = `A chat-completion API in which every request is an agent turn over a library of texts. Standard \
clients work unmodified: give them \`/v1\` as their base address and an API key.

Every operation names the scope it asks of a key in \`x-scope\`: one of the key scopes, \`any-key\` or \`public\`. What a \
key cannot reach answers 404, exactly as what does not exist. Every failure has the body \`ApiError\`; each error response \
lists the codes it can have in \`x-codes\`. Replies may gain fields; clients should ignore those they do not know.`

function openApiDocument(routes: readonly DescribedRoute[], name: string, version: string) {
  const writer = createSchemaWriter()
  writer.output(errorSchema)
  const errors = new Map<string, JsonSchema>()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes.toSorted(inOrder)) {
    const path = pathTemplate(route.url)
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operationOf(route, writer, errors)
  }
  return {
    openapi: '3.1.1',
    info: {
      ...{ title: name, version, description: introduction },
      ...{ contact: { name }, license: { name: 'MIT', identifier: 'MIT' } },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: writer.components(),
      responses: Object.fromEntries([...errors].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      headers: headerComponents(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, such as `svc_…`.' },
      },
    },
  }
}

const methods = ['GET', 'POST', 'PATCH', 'DELETE']

/** Sorts by path instead of mounting order, so that moved code does not change the document. */
function inOrder(a: DescribedRoute, b: DescribedRoute): number {
  if (a.url !== b.url) return a.url < b.url ? -1 : 1
  return methods.indexOf(a.method) - methods.indexOf(b.method)
}
