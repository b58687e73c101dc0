import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { messageOf, ServiceError } from '../../errors.ts'
import { unsupportedContentType } from '../error-handler.ts'
import { scanJson } from './json-scan.ts'

/**
 * Reads JSON bodies and refuses other content types on JSON routes. An empty body counts as no body, because
 * clients send the content type with bare DELETEs. Bodies above the bounds or with the NUL character are
 * refused before parsing; unpaired surrogates become U+FFFD.
 */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => readJson(body.trim()),
  )
  // Uploads have the only other parser, and it is registered for all routes.
  app.addHook('preValidation', async (request) => {
    const multipart = /^multipart\//i.test(request.headers['content-type'] ?? '')
    if (multipart && request.routeOptions.schema?.body) throw unsupportedContentType(request)
  })
}

async function readJson(text: string): Promise<unknown> {
  if (text === '') return undefined
  const { surrogates } = await scanJson(text)
  const value = parse(text)
  // The next step scans the whole text a second time.
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
