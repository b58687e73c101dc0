import type { JsonSchema } from './docs.ts'

const ofRequests = (what: string) => `Requests of the account ${what}, as this replica counts them.`

/** Headers that any reply can have; routes declare their own ones. */
const common: Readonly<Record<string, string>> = {
  'retry-after': 'Seconds after which the same request may succeed.',
  'www-authenticate': 'Always `Bearer`.',
  'x-ratelimit-limit-requests': ofRequests('that its plan allows in a minute'),
  'x-ratelimit-remaining-requests': ofRequests('that are left in this minute'),
  'x-ratelimit-reset-requests': 'When the minute is over, such as `12s`.',
  'x-request-id': 'Names the request in the service’s log.',
  'x-should-retry': '`false` when trying again cannot help, or work has run already.',
}

/** Headers of every reply to a valid key. */
export const rateLimitHeaders: readonly string[] = Object.keys(common).filter((name) =>
  name.startsWith('x-ratelimit-'),
)

const numbers = new Set(['retry-after', 'x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests'])

/** The header components of the document. */
export function headerComponents(): JsonSchema {
  return Object.fromEntries(
    Object.entries(common).map(([name, description]) => [
      name,
      { description, schema: { type: numbers.has(name) ? 'integer' : 'string' } },
    ]),
  )
}

/** References to some of them. */
export function headerRefs(names: readonly string[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Headers of a 200: those of every reply and those of the route. */
export function replyHeaders(open: boolean, own: Readonly<Record<string, string>> = {}): JsonSchema {
  const always = ['x-request-id', ...(open ? [] : rateLimitHeaders)]
  return { ...headerRefs(always), ...ownHeaders(own) }
}

/** Headers that only one route has. */
export function ownHeaders(own: Readonly<Record<string, string>> = {}): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(own).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )
}

/** Request headers as parameters of an operation. */
export function headerParameters(headers: Readonly<Record<string, string>> = {}): readonly JsonSchema[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }))
}
