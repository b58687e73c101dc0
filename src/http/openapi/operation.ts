import { z } from 'zod'
import type { ContentDocs, JsonSchema, RouteDocs } from './docs.ts'
import { errorResponses, type FailureFacts, possibleCodes } from './errors.ts'
import { headerParameters, replyHeaders } from './headers.ts'
import type { SchemaWriter } from './json-schema.ts'

/** A route as the code declares it. */
export type DescribedRoute = {
  readonly method: string
  /** URL with the prefix of its plugin; parameters as `:name`. */
  readonly url: string
  readonly scope: string
  readonly docs: RouteDocs
  readonly query: z.ZodType | undefined
  readonly body: z.ZodType | undefined
}

/**
 * The operation object of a route.
 * @param errors collects the error responses that it refers to.
 */
export function operationOf(
  route: DescribedRoute,
  writer: SchemaWriter,
  errors: Map<string, JsonSchema>,
): JsonSchema {
  const { docs, scope } = route
  const open = scope === 'public'
  const requestBody = requestBodyOf(route, writer)
  return {
    operationId: operationId(route),
    summary: docs.summary,
    description: docs.description ?? neededKey(scope),
    tags: [docs.tag],
    'x-scope': scope,
    security: open ? [] : [{ bearer: [] }],
    parameters: [
      ...pathParameters(route),
      ...queryParameters(route, writer),
      ...headerParameters(docs.requestHeaders),
    ],
    ...(requestBody && { requestBody }),
    responses: {
      ...successOf(docs, open, writer),
      ...errorResponses(route, possibleCodes(failureFacts(route)), errors),
    },
  }
}

function neededKey(scope: string): string {
  if (scope === 'public') return 'Needs no key.'
  return scope === 'any-key' ? 'Needs a key.' : `Needs a key with the scope \`${scope}\`.`
}

/** Writes `/v1/files/:id` in the notation of OpenAPI. */
export function pathTemplate(url: string): string {
  return url.replaceAll(/:(\w+)/g, '{$1}')
}

/** Such as `getAgentRunsByIdEvents`. */
function operationId({ method, url }: DescribedRoute): string {
  const words = url
    .replace(/^\/v1\//, '/')
    .replaceAll(/:(\w+)/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  const capitalised = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  // The description has two URLs, with and without a key; each needs its own operation id.
  const version = url.startsWith('/v1/') ? '' : 'Public'
  return method.toLowerCase() + version + capitalised.join('')
}

function failureFacts({ method, url, scope, docs, query, body }: DescribedRoute): FailureFacts {
  return {
    scope,
    hasPathParameter: url.includes(':'),
    hasRequired: [query, body, docs.body].some(requiresSomething),
    readsBody: method !== 'GET',
    more: [...(docs.errors ?? []), ...(docs.lateErrors ?? [])],
  }
}

/** Whether a field is required, at any depth: an optional list may have items with required fields. */
function requiresSomething(schema: z.ZodType | ContentDocs | undefined): boolean {
  if (schema === undefined) return false
  // A multipart form always requires its file.
  if (!isZod(schema)) return true
  return hasRequiredField(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
}

function hasRequiredField(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.entries(schema).some(([key, value]) =>
    key === 'required' && Array.isArray(value) ? value.length > 0 : hasRequiredField(value),
  )
}

function pathParameters({ url, docs }: DescribedRoute): readonly JsonSchema[] {
  return [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(docs.params?.[name] !== undefined && { description: docs.params[name] }),
    schema: { type: 'string' },
  }))
}

function queryParameters({ query }: DescribedRoute, writer: SchemaWriter): readonly JsonSchema[] {
  if (!query) return []
  const { properties = {}, required = [] } = writer.input(query) as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    schema,
  }))
}

function requestBodyOf({ docs, body }: DescribedRoute, writer: SchemaWriter): JsonSchema | undefined {
  const described = docs.body ?? body
  if (!described) return undefined
  const { type, schema } = isZod(described) ? { type: 'application/json', schema: described } : described
  const optional = body?.safeParse(undefined).success === true
  return {
    required: !optional,
    content: {
      [type]: {
        schema: isZod(schema) ? writer.input(schema) : schema,
        ...(docs.example && { example: docs.example }),
      },
    },
  }
}

function successOf(docs: RouteDocs, open: boolean, writer: SchemaWriter): JsonSchema {
  const contents: readonly ContentDocs[] = [
    ...(docs.response ? [{ type: 'application/json', schema: docs.response }] : []),
    ...(docs.content ?? []),
  ]
  if (contents.length === 0) return {}
  const headers = replyHeaders(open, docs.replyHeaders)
  const others = Object.entries(docs.otherReplies ?? {}).map(([status, { description, content = [] }]) => [
    status,
    { description, headers, ...(content.length > 0 && { content: mediaTypes(content, writer) }) },
  ])
  return {
    200: { description: 'Done.', headers, content: mediaTypes(contents, writer) },
    ...Object.fromEntries(others),
  }
}

function mediaTypes(contents: readonly ContentDocs[], writer: SchemaWriter): JsonSchema {
  return Object.fromEntries(
    contents.map(({ type, schema }) => [type, { schema: isZod(schema) ? writer.output(schema) : schema }]),
  )
}

function isZod(schema: z.ZodType | JsonSchema | ContentDocs): schema is z.ZodType {
  return schema instanceof z.ZodType
}
