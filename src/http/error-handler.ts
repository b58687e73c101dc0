import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { accountHeld } from '../accounts/legal-hold.ts'
import { databaseFault, foreignKeyViolation, isBusy, isUnavailable, underLegalHold } from '../db/errors.ts'
import { errorTable, invalidValue, messageOf, notFound, ServiceError } from '../errors.ts'
import { type AuthServices, authorizeRequest } from './auth.ts'
import { InputError } from './openapi/zod.ts'
import { originOf } from './origin.ts'

export type ErrorBody = {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string
  }
  readonly x_service?: object
}

/** The body of every failure. */
export function errorBody(error: ServiceError): ErrorBody {
  const { type } = errorTable[error.code]
  const { message, param, code, service } = error
  return { error: { message, type, param, code }, ...(service && { x_service: service }) }
}

/** Answers every failure of every route, including unknown routes, with one error body. */
export function registerErrorHandler(
  app: FastifyInstance,
  settings: { readonly appUrl?: string | undefined } = {},
): void {
  app.setErrorHandler((error, request, reply) => sendError(request, reply, asServiceError(error, request)))
  app.setNotFoundHandler((request, reply) => {
    // Clients that try WebSocket first go on over HTTP at once.
    if (/\bwebsocket\b/i.test(request.headers.upgrade ?? ''))
      return sendError(request, reply, new ServiceError('upgrade_unsupported', noWebSocket))
    return sendError(request, reply, new ServiceError('not_found', noRoute(app, request, settings)))
  })
}

const noWebSocket = 'The service speaks HTTP only, not WebSocket. Send the request with POST and `stream`.'

/** The message for an unknown route. A wrong base URL is the usual cause, so the right one is named. */
function noRoute(
  app: FastifyInstance,
  request: FastifyRequest,
  settings: { readonly appUrl?: string | undefined },
): string {
  const { method } = request
  const path = request.url.split('?')[0] ?? ''
  const meant = meantPath(path)
  const taken = methods.filter((one) => one !== method && hasRoute(app, one, path))
  const advice =
    meant !== undefined && hasRoute(app, method, meant)
      ? `Use ${method} ${meant}: the base URL of clients is ${originOf(settings, request)}/v1.`
      : taken.length > 0
        ? `This path takes ${taken.join(' and ')}.`
        : 'See the API description at /docs.'
  return `There is no route ${method} ${path}. ${advice}`
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Whether a path has a route of its own. The catch-all of the pages, which matches every path, is none. */
function hasRoute(app: FastifyInstance, method: string, url: string): boolean {
  const found = app.findRoute({ method: method as HTTPMethods, url }) as {
    readonly params?: Readonly<Record<string, string | undefined>>
  } | null
  return found !== null && found.params?.['*'] !== url.slice(1)
}

/**
 * The path under `/v1` that a client means whose base URL has no `/v1`, has it twice, or has a prefix of another
 * server.
 */
function meantPath(path: string): string | undefined {
  const rest = path
    .replace(/^(?:\/+(?:api|openai|v1))*(?=\/)/, '')
    .replace(/\/+/g, '/')
    .replace(/\/$/, '')
  return rest === '' ? undefined : `/v1${rest}`
}

/**
 * Answers a path that cannot be decoded with the same 404 as an unknown id. The router handles such a request
 * before all hooks, so the key is checked here.
 */
export async function refuseUnroutable(
  services: AuthServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  reply.header('x-request-id', request.id)
  const refusal = await authorizeRequest(services, request, reply).then(
    () => notFound(),
    (error: unknown) => error,
  )
  sendError(request, reply, asServiceError(refusal, request))
}

function sendError(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  const { status } = errorTable[error.code]
  reply.errorCode = error.code
  logFailure(request, reply, error)
  if (status === 426) reply.header('upgrade', 'HTTP/1.1').header('connection', 'Upgrade')
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  if (error.shouldRetry === false) reply.header('x-should-retry', 'false')
  // Closing while the client still sends resets the connection, and the reply is lost (RFC 9112, section 9.6). So the rest
  // of a body whose length is known is read and forgotten, within the time for receiving it.
  const isSending = error.code === 'request_too_large' && request.headers['content-length'] !== undefined
  if (isSending) reply.removeHeader('connection')
  return reply.status(status).send(errorBody(error))
}

/** Logs failures of the service itself, with the details that the reply leaves out. */
export function logFailure(request: FastifyRequest, reply: FastifyReply, error: ServiceError): void {
  if (errorTable[error.code].status < 500 || error.logged || brokeOff(reply, error)) return
  const { id: requestId } = request
  request.log.error({ requestId, code: error.code, reason: causeOf(error) }, error.message)
}

/**
 * Whether the failure comes from a client that disconnected. The service is not at fault, and nobody reads
 * the reply.
 */
function brokeOff(reply: FastifyReply, { cause }: ServiceError): boolean {
  const { code, name } = (cause ?? {}) as { readonly code?: unknown; readonly name?: unknown }
  const gone = reply.raw.destroyed || reply.request.raw.socket.readableEnded
  return gone && (code === 'ERR_STREAM_PREMATURE_CLOSE' || name === 'AbortError')
}

/** Cause for the log: the driver's message, because the query builder's message repeats parameters. */
function causeOf(error: ServiceError): string | undefined {
  if (!error.cause) return undefined
  const fault = databaseFault(error.cause)
  if (fault) return `${fault.code} ${fault.message}`
  return error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : messageOf(error.cause)
}

/** Converts any failure to a ServiceError, which has a public message, a code and a status. */
export function asServiceError(error: unknown, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof InputError) return error.toServiceError()
  const fault = databaseFault(error)
  if (wasCutOff(request) && !isSqlState(fault?.code)) {
    return invalidValue('The request ended before all of it had arrived. Send it again.')
  }
  if (fault && isUnavailable(fault)) {
    return new ServiceError(
      'database_unavailable',
      'The service cannot reach its database. Try again in a few seconds.',
      {
        retryAfterSeconds: 2,
        cause: error,
      },
    )
  }
  if (fault && isBusy(fault)) {
    return new ServiceError('overloaded', 'The service is busy. Try again in a few seconds.', {
      retryAfterSeconds: 2,
      cause: error,
    })
  }
  // What the request refers to was deleted after it had been found.
  if (fault?.code === foreignKeyViolation) return notFound()
  if (fault?.code === underLegalHold) return accountHeld()
  return fromFastify(error as FastifyError, request) ?? internal(error)
}

/**
 * Whether the client disconnected while its request was still arriving. The resulting error, such as
 * `ECONNRESET`, looks like a lost connection to the database.
 */
function wasCutOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}

/** Something that Postgres itself said. */
function isSqlState(code: string | undefined): boolean {
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && code !== 'EPIPE'
}

function internal(cause: unknown): ServiceError {
  return new ServiceError('internal_error', 'The service failed. Send the request id to its operator.', {
    cause,
  })
}

/** Converts errors that Fastify raises before a route is reached. */
function fromFastify(error: FastifyError, request: FastifyRequest): ServiceError | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(request)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedContentType(request)
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalidValue('The body does not have the length in Content-Length. Send the exact length.')
  }
  const status = error.statusCode ?? 500
  if (status === 413) return new ServiceError('request_too_large', 'The request is too large. Send less.')
  if (status >= 400 && status < 500) return invalidValue(error.message)
  return undefined
}

function bodyTooLarge(request: FastifyRequest): ServiceError {
  const mebibytes = request.routeOptions.bodyLimit / 1024 / 1024
  return new ServiceError(
    'request_too_large',
    `The request body is larger than ${mebibytes} MiB, the maximum of this route. Send less.`,
  )
}

/** The refusal of a content type; its message names the type that the route takes. */
export function unsupportedContentType(request: FastifyRequest): ServiceError {
  const sent = request.headers['content-type'] ?? ''
  const wanted = request.url.startsWith('/v1/files') ? 'multipart/form-data' : 'application/json'
  return new ServiceError(
    'unsupported_content_type',
    `The content type "${sent}" is not supported here. Send ${wanted}.`,
  )
}
