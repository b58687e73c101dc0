import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'

/** An escaped NUL whose backslash is not itself escaped. */
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/
const escapedSurrogate = /\\ud[89a-f]/i

/**
 * Reads JSON bodies. An empty one counts as none: clients send the content type with bare DELETEs. What Postgres
 * cannot keep is caught here: the NUL character is refused, halves of surrogate pairs become U+FFFD.
 */
export function registerJsonBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body)
    if (text.trim() === '') return done(null, undefined)
    if (escapedNul.test(text)) {
      return done(new ServiceError('invalid_value', 'The body holds a NUL character (\\u0000). Remove it.'))
    }
    void parse(request, text, (error: Error | null, value?: unknown) => {
      if (error) done(new ServiceError('invalid_json', `The body is not valid JSON: ${error.message}`))
      else done(null, escapedSurrogate.test(text) ? wellFormed(value) : value)
    })
  })
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
  )
}
