import { isUtf8 } from 'node:buffer'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { messageOf, ServiceError } from '../../errors.ts'
import { unsupportedContentType } from '../error-handler.ts'
import { scanJson } from './json-scan.ts'

/**
 * Reads JSON bodies and refuses other content types on JSON routes. An empty body counts as no body, because
 * clients send the content type with bare DELETEs. Bodies above the bounds or with the NUL character are
 * refused before parsing, and so are bytes that are no UTF-8; unpaired surrogates become U+FFFD.
 */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => readJson(textOf(request, body).trim()),
  )
  app.addHook('preParsing', async (request) => refuseEncoded(request))
  // Uploads have the only other parser, and it is registered for all routes.
  app.addHook('preValidation', async (request) => {
    const multipart = /^multipart\//i.test(request.headers['content-type'] ?? '')
    if (multipart && request.routeOptions.schema?.body) throw unsupportedContentType(request)
  })
}

/** @throws ServiceError for another charset, whose letters would be misread, and for bytes that are no UTF-8. */
function textOf({ headers }: FastifyRequest, body: Buffer): string {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^(utf-?8|us-ascii|ascii)$/i.test(charset)) {
    throw new ServiceError(
      'unsupported_content_type',
      `The charset "${charset}" is not supported. Send JSON in UTF-8.`,
      { param: 'content-type' },
    )
  }
  if (isUtf8(body)) return body.toString()
  throw new ServiceError('invalid_json', 'The body has bytes that are not UTF-8. Send JSON in UTF-8.')
}

/** Compressed bodies are not unpacked, because a small one can unpack to any size. */
function refuseEncoded({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.trim() ?? ''
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!hasBody || encoding === '' || encoding.toLowerCase() === 'identity') return
  throw new ServiceError(
    'unsupported_content_type',
    `The header Content-Encoding: ${encoding} is not supported. Send the body without it, not compressed.`,
    { param: 'content-encoding' },
  )
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
