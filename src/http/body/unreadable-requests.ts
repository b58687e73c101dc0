import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance } from 'fastify'
import { type ErrorCode, errorTable, invalidValue, ServiceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { errorBody } from '../error-handler.ts'

/**
 * Answers data that Node's HTTP parser refuses, with the error body of all routes. Closes the connection,
 * because the start of the next request is unknown.
 */
export function refuseUnreadable(error: Pick<FastifyError, 'code'>, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const refusal = refusalOf(error.code)
  const { status } = errorTable[refusal.code]
  const body = JSON.stringify(errorBody(refusal))
  const head = [
    `HTTP/1.1 ${status} ${reasons[status] ?? 'Bad Request'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${newId('request')}`,
    'connection: close',
  ]
  if (socket.writable) socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
  else socket.destroy()
}

const reasons: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

function refusalOf(fault: string): ServiceError {
  const refuse = (code: ErrorCode, message: string) => new ServiceError(code, message)
  switch (fault) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('request_timeout', 'The headers of the request took too long to arrive. Send it again.')
    case 'HPE_HEADER_OVERFLOW':
      return refuse('headers_too_large', 'Path and headers are larger than 16 KiB together. Send less.')
    default:
      return refuse('invalid_value', 'This is no valid HTTP request.')
  }
}

/**
 * Refuses requests with several `Host` headers, and those of HTTP/1.1 with none (RFC 9112, section 3.2). Of several,
 * Node uses the first one; a proxy may use another one and route by it. Node itself would refuse the others without
 * a body.
 */
export function requireOneHost(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw: { rawHeaders, httpVersion } }, reply) => {
    const names = rawHeaders.filter((_, i) => i % 2 === 0 && rawHeaders[i]?.length === 4)
    const hosts = names.filter((name) => name.toLowerCase() === 'host').length
    if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return
    reply.header('connection', 'close')
    const found = hosts === 0 ? 'no' : 'more than one'
    throw invalidValue(`The request has ${found} Host header. Send one.`, 'host')
  })
}
