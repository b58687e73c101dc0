import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { messageOf, ServiceError } from '../../errors.ts'
import { unsupportedContentType } from '../error-handler.ts'
import { scanJson } from './json-scan.ts'

/**
 * Reads JSON bodies, and refuses other content types where JSON is expected. An empty body counts as none: clients
 * send the content type with bare DELETEs. A body beyond the bounds is refused before it is parsed. So is what Postgres
 * cannot keep: the NUL character; halves of surrogate pairs become U+FFFD.
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

async function readJson(text: string): Promise<unknown> {
  if (text === '') return undefined
  const { surrogates } = await scanJson(text)
  const value = parse(text)
  // What follows looks at all of it again.
  if (text.length > 1_000_000) await turnOfTheLoop()
  return surrogates ? wellFormed(value) : value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ServiceError('invalid_json', `The body is not valid JSON: ${messageOf(error)}.`)
  }
}

/** Recursion is safe: the scan has bounded the depth. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
  )
}
