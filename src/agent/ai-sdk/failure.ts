import { isRecord } from '../json.ts'
import { asFailure, CallFailure, errorText, isContextOverflow, presentable } from '../openai/failure.ts'
import { refusal } from '../openai/http.ts'

/**
 * Converts what a package of the AI SDK throws. Errors are known by their names, because each package may bring its own
 * copy of the classes.
 * @param apiKey hidden in texts of the server.
 */
export function sdkFailure(fault: unknown, apiKey: string | undefined): CallFailure {
  const own = causesOf(fault).find((cause) => cause instanceof CallFailure)
  if (own) return own
  const name = fault instanceof Error ? fault.name : ''
  if (name === 'AI_APICallError') return apiFailure(fault as ApiCallError, apiKey)
  if (mistakes.has(name)) {
    const said = presentable(`The model's API cannot take this request: ${(fault as Error).message}`, apiKey)
    return new CallFailure('rejected', said, { param: 'messages', cause: fault })
  }
  if (name.startsWith('AI_Load')) {
    return new CallFailure('upstream', presentable((fault as Error).message, apiKey), { cause: fault })
  }
  // An error object in a stream is no chunk that the package knows, so it fails the package's own check.
  const { value } = fault as { readonly value?: unknown }
  if (name === 'AI_TypeValidationError' && isRecord(value) && (value['error'] || value['object'] === 'error'))
    return streamFailure(value, apiKey)
  if (name.startsWith('AI_')) {
    return new CallFailure('upstream', "The model's server sent something that is not a reply of its API.", {
      cause: fault,
    })
  }
  return connectionFailure(fault) ?? asFailure(fault)
}

/** The body of a response by which the upstream refused the request. */
export function refusalText(fault: unknown): string | undefined {
  return fault instanceof Error && fault.name === 'AI_APICallError'
    ? (fault as ApiCallError).responseBody
    : undefined
}

/** Errors by which a package refuses a prompt that its API has no form for. */
const mistakes = new Set([
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
])

/** An error in the middle of a stream: an error of the package, or the server's error object. */
export function streamFailure(error: unknown, apiKey: string | undefined): CallFailure {
  if (error instanceof Error) return sdkFailure(error, apiKey)
  const said = isRecord(error) || typeof error === 'string' ? errorText(error) : ''
  const kind = isContextOverflow(JSON.stringify(error) ?? '') ? 'context' : 'upstream'
  return new CallFailure(kind, presentable(`The model's server reported an error: ${said}`, apiKey))
}

/** The members of `APICallError` that count. */
type ApiCallError = Error & {
  readonly statusCode?: number
  readonly responseHeaders?: Record<string, string>
  readonly responseBody?: string
  readonly isRetryable: boolean
}

function apiFailure(error: ApiCallError, apiKey: string | undefined): CallFailure {
  const { statusCode, responseHeaders = {}, responseBody, message } = error
  if (statusCode === undefined || (statusCode >= 200 && statusCode < 300)) {
    return connectionFailure(error) ?? streamFailure(responseBody ?? message, apiKey)
  }
  return refusal({ apiKey }, { statusCode, headers: responseHeaders }, responseBody || message)
}

/** Errors of connections have codes. They are causes of the package's error. */
function connectionFailure(fault: unknown): CallFailure | undefined {
  const coded = causesOf(fault).find((cause) => 'code' in cause && typeof cause.code === 'string')
  return coded && asFailure(coded)
}

function causesOf(fault: unknown): readonly Error[] {
  const causes: Error[] = []
  for (let cause = fault; cause instanceof Error && causes.length < 5; cause = cause.cause) causes.push(cause)
  return causes
}
