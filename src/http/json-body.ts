import type { FastifyInstance } from 'fastify'
import { messageOf, ServiceError } from '../errors.ts'
import { unsupportedContentType } from './error-handler.ts'

/** An escaped NUL whose backslash is not itself escaped. */
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/
const escapedSurrogate = /\\ud[89a-f]/i

/** Far beyond any real request, and shallow enough for everything that works on a body by recursion. */
const deepest = 200

/**
 * Reads JSON bodies, and refuses other content types where JSON is expected. An empty body counts as none: clients
 * send the content type with bare DELETEs. What Postgres cannot keep is caught here: the NUL character is refused,
 * halves of surrogate pairs become U+FFFD.
 */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => readJson(body.trim()),
  )
  // The one other parser is that of uploads, and it is there for every route.
  app.addHook('preValidation', async (request) => {
    const multipart = /^multipart\//i.test(request.headers['content-type'] ?? '')
    if (multipart && request.routeOptions.schema?.body) throw unsupportedContentType(request)
  })
}

function readJson(text: string): unknown {
  if (text === '') return undefined
  if (escapedNul.test(text)) {
    throw new ServiceError('invalid_value', 'The body holds a NUL character (\\u0000). Remove it.')
  }
  const value = parse(text)
  requireHarmless(value, deepest)
  return escapedSurrogate.test(text) ? wellFormed(value) : value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ServiceError('invalid_json', `The body is not valid JSON: ${messageOf(error)}.`)
  }
}

/** @throws ServiceError for keys that would reach a prototype when copied, and for endless nesting. */
function requireHarmless(value: unknown, levels: number): void {
  if (typeof value !== 'object' || value === null) return
  if (levels === 0) {
    throw new ServiceError(
      'invalid_value',
      `The body is nested deeper than ${deepest} levels. Make it flatter.`,
    )
  }
  if (Object.hasOwn(value, '__proto__')) {
    throw new ServiceError('invalid_value', 'The body holds the key `__proto__`. Remove it.')
  }
  for (const item of Object.values(value)) requireHarmless(item, levels - 1)
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
  )
}
