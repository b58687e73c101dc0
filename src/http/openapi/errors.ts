import { z } from 'zod'
import { type ErrorCode, errorTable } from '../../errors.ts'
import type { JsonSchema, RouteDocs } from './docs.ts'
import { headerRefs, ownHeaders, rateLimitHeaders } from './headers.ts'

const codes = Object.keys(errorTable) as readonly ErrorCode[]

/** The body of every error reply. */
export const errorSchema = z
  .object({
    error: z.object({
      message: z.string().describe('What is wrong, and what to do about it'),
      type: z.enum(Object.values(errorTable).map(({ type }) => type)),
      param: z.string().nullable().describe('The parameter at fault; null when it is none'),
      code: z.enum(codes),
    }),
    x_service: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Of a turn that failed: its ids, and `usage` with what was charged'),
  })
  .meta({ id: 'ApiError', description: `Every failure.\n\n${codeTable(codes)}` })

/** Properties of a route that decide which errors it can return. */
export type FailureFacts = {
  readonly scope: string
  readonly hasPathParameter: boolean
  /** Whether the route has a required parameter or field. */
  readonly hasRequired: boolean
  /** True for all methods except GET: their bodies are read even where none is expected. */
  readonly readsBody: boolean
  readonly more: readonly ErrorCode[]
}

/** All error codes that a route can return, in the order of the table of errors. */
export function possibleCodes(facts: FailureFacts): readonly ErrorCode[] {
  const open = facts.scope === 'public'
  const possible = new Set<ErrorCode>([
    'internal_error',
    // Also of a request without a Host header, or with two.
    'invalid_value',
    ...facts.more,
    ...(open ? [] : keyCodes),
    ...(open || facts.scope === 'any-key' ? [] : (['missing_scope'] as const)),
    ...(facts.hasPathParameter ? (['not_found'] as const) : []),
    ...(facts.hasRequired ? (['missing_required_parameter'] as const) : []),
    ...(facts.readsBody ? bodyCodes : []),
  ])
  return codes.filter((code) => possible.has(code))
}

const keyCodes = [
  'invalid_api_key',
  'address_not_allowed',
  'account_suspended',
  'plan_without_api_access',
  'rate_limit_exceeded',
  'database_unavailable',
] as const

const bodyCodes = ['invalid_json', 'request_too_large', 'unsupported_content_type'] as const

/**
 * The error responses of an operation by status; `x-codes` lists the codes of each. Responses without
 * route-specific headers are references, and `shared` collects their definitions.
 */
export function errorResponses(
  { scope, docs }: { readonly scope: string; readonly docs: RouteDocs },
  possible: readonly ErrorCode[],
  shared: Map<string, JsonSchema>,
): Record<string, JsonSchema> {
  const open = scope === 'public'
  const late = new Set<ErrorCode>(docs.lateErrors)
  const byStatus = Map.groupBy(possible, (code) => errorTable[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => {
      const headers = headerRefs(errorHeaders(status, open))
      if (some.some((code) => late.has(code))) {
        return [status, errorResponse(some, { ...headers, ...ownHeaders(docs.replyHeaders) })]
      }
      const name = [...(open ? ['public'] : []), status, ...some].join('.')
      shared.set(name, errorResponse(some, headers))
      return [status, { $ref: `#/components/responses/${name}` }]
    }),
  )
}

function errorResponse(some: readonly ErrorCode[], headers: JsonSchema): JsonSchema {
  return {
    description: some.map((code) => `\`${code}\``).join(', '),
    headers,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiError' } } },
    'x-codes': some,
  }
}

function errorHeaders(status: number, open: boolean): readonly string[] {
  // Requests without a valid key count by address, not against a plan.
  const counted = !open && status !== 401
  return [
    'x-request-id',
    ...(counted ? rateLimitHeaders : []),
    ...(status === 401 ? ['www-authenticate'] : []),
    ...(status === 429 || status === 503 ? ['retry-after'] : []),
    'x-should-retry',
  ]
}

function codeTable(some: readonly ErrorCode[]): string {
  const rows = some.map((code) => `| ${errorTable[code].status} | ${errorTable[code].type} | \`${code}\` |`)
  return ['| status | type | code |', '|---|---|---|', ...rows].join('\n')
}
