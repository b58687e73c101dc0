/**
 * The one error class and the one table from code to HTTP status and type.
 * Domain code throws `ServiceError` by code and never names a number; `http/error-handler` renders it.
 */

const invalidRequest = 'invalid_request_error'

export const errorTable = {
  invalid_api_key: { status: 401, type: invalidRequest },
  missing_scope: { status: 403, type: 'permission_error' },
  address_not_allowed: { status: 403, type: 'permission_error' },
  account_suspended: { status: 403, type: 'permission_error' },
  plan_without_api_access: { status: 403, type: 'permission_error' },
  not_found: { status: 404, type: 'not_found_error' },
  model_not_found: { status: 404, type: invalidRequest },
  invalid_value: { status: 400, type: invalidRequest },
  missing_required_parameter: { status: 400, type: invalidRequest },
  unsupported_parameter: { status: 400, type: invalidRequest },
  content_filter: { status: 400, type: invalidRequest },
  context_length_exceeded: { status: 400, type: invalidRequest },
  invalid_json: { status: 400, type: invalidRequest },
  idempotency_key_reused: { status: 400, type: invalidRequest },
  request_too_large: { status: 413, type: 'request_error' },
  file_too_large: { status: 413, type: 'request_error' },
  unsupported_content_type: { status: 415, type: 'request_error' },
  range_not_satisfiable: { status: 416, type: invalidRequest },
  request_timeout: { status: 408, type: 'request_error' },
  account_held: { status: 409, type: 'conflict_error' },
  session_busy: { status: 409, type: 'conflict_error' },
  project_busy: { status: 409, type: 'conflict_error' },
  insufficient_credits: { status: 402, type: 'billing_error' },
  key_cap_reached: { status: 402, type: 'billing_error' },
  upgrade_unsupported: { status: 426, type: invalidRequest },
  headers_too_large: { status: 431, type: 'request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  too_many_concurrent_runs: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'server_error' },
  upstream_error: { status: 502, type: 'server_error' },
  run_failed: { status: 502, type: 'server_error' },
  overloaded: { status: 503, type: 'server_error' },
  database_unavailable: { status: 503, type: 'server_error' },
  file_store_unavailable: { status: 503, type: 'server_error' },
} as const

export type ErrorCode = keyof typeof errorTable

export type ErrorDetails = {
  readonly param?: string
  /** Seconds after which the same request may succeed; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** `false` if a retry cannot help, or if work may already have run; sent as `x-should-retry: false`. */
  readonly shouldRetry?: boolean
  /** Private: logged, never shown. */
  readonly cause?: unknown
  /** `true` if the log has it already, or if it is no failure. Its message may hold text that does not belong in the log. */
  readonly logged?: boolean
  /** The reply's `x_service`: what is known about a turn that failed. */
  readonly service?: object
}

export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly param: string | null
  readonly retryAfterSeconds: number | undefined
  readonly shouldRetry: boolean | undefined
  readonly logged: boolean
  readonly service: object | undefined

  /** `message` is public. It says what is wrong and what to do. */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.param = details.param ?? null
    this.retryAfterSeconds = details.retryAfterSeconds
    this.shouldRetry = details.shouldRetry
    this.logged = details.logged ?? false
    this.service = details.service
  }
}

/**
 * The one error for a resource that is missing, malformed or of another account. All three are identical byte
 * for byte.
 * @param param the field that has the id; undefined for an id in the path.
 */
export function notFound(param?: string): ServiceError {
  const message = 'No such resource, or this key cannot reach it. Check the id.'
  if (param === undefined) return new ServiceError('not_found', message)
  return new ServiceError('not_found', message.replace('id.', `id in \`${param}\`.`), { param })
}

/** The error for a wrong request. @param param the field at fault; undefined if it is none alone. */
export function invalidValue(message: string, param?: string): ServiceError {
  return new ServiceError('invalid_value', message, param === undefined ? {} : { param })
}

/** The error for a field with a wrong value; an empty `param` stands for the whole body. */
export function wrongField(param: string, fault: string): ServiceError {
  return param === '' ? invalidValue(`The body: ${fault}.`) : invalidValue(`\`${param}\`: ${fault}.`, param)
}

/** The error for an `after` that a list does not have. Without it, a client with a wrong cursor would stop paging in silence. */
export function unknownCursor(): ServiceError {
  const message = '`after` is not the id of an item of this list. Use an id from an earlier page.'
  return invalidValue(message, 'after')
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
