import { isRecord } from '../json.ts'
import type { ProviderFailure } from '../provider.ts'

const MESSAGE_CHARACTERS = 300
/** Patterns examine at most this many characters, so the upstream cannot determine how long they take. */
export const EXAMINED_CHARACTERS = 4_096
const HIDDEN = '[hidden]'

/** Why a model call failed. Internal to the provider: callers see it as the end of the call. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure'
  readonly kind: ProviderFailure
  /** The same request may be retried if no part of the reply has arrived. */
  readonly retryable: boolean
  /** The delay that the upstream asked for. */
  readonly retryAfterMs: number | undefined
  /** The HTTP status, if the upstream sent one that is no success. */
  readonly status: number | undefined
  /** The parameter that the upstream refused, as clients name it. */
  readonly param: string | undefined

  constructor(
    kind: ProviderFailure,
    message: string,
    options: {
      readonly retryable?: boolean
      readonly retryAfterMs?: number | undefined
      readonly status?: number | undefined
      readonly param?: string | undefined
      readonly cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.retryable = options.retryable ?? false
    this.retryAfterMs = options.retryAfterMs
    this.status = options.status
    this.param = options.param
  }
}

/**
 * Converts a thrown error into a failure. An error with a code is a connection error and can be retried; only
 * its code is shown, because its text may contain addresses. An error without a code is a bug and is not
 * retried.
 */
export function asFailure(fault: unknown): CallFailure {
  if (fault instanceof CallFailure) return fault
  const code =
    fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined
  if (code === undefined)
    return new CallFailure('upstream', 'The model call failed unexpectedly.', { cause: fault })
  const message = `The connection to the model's server failed (${code}).`
  return new CallFailure('upstream', message, { retryable: true, cause: fault })
}

/**
 * Patterns for everything that could be the key that we sent: the key, its beginning in a masked echo, or any
 * other bearer secret.
 */
function secretPatterns(apiKey: string | undefined): readonly RegExp[] {
  const general = [
    /\bBearer\s+[^\s"',;]+/gi,
    /\b(?:sk|pk|gsk|xai|hf|nvapi)[-_][\w*.-]{6,}/gi,
    /\bAIza[\w-]{10,}/g,
    /[^\s"']*\*{3,}[^\s"']*/g,
  ]
  if (!apiKey) return general
  // A key shorter than 8 characters ("none", "ollama") is hidden only as a whole word. It could otherwise match
  // parts of other words.
  const whole = apiKey.length < 8 ? `(?<!\\w)${RegExp.escape(apiKey)}(?!\\w)` : RegExp.escape(apiKey)
  const own = [new RegExp(whole, 'g')]
  if (apiKey.length >= 12) own.push(new RegExp(`${RegExp.escape(apiKey.slice(0, 6))}[^\\s"',;]*`, 'g'))
  return [...own, ...general]
}

/** Prepares an upstream's text for an error message: no secrets, one line, at most 300 characters. */
export function presentable(text: string, apiKey: string | undefined): string {
  let clean = text.slice(0, EXAMINED_CHARACTERS)
  for (const pattern of secretPatterns(apiKey)) clean = clean.replace(pattern, HIDDEN)
  // The cut may have split a key, whose beginning would no longer match.
  if (text.length > EXAMINED_CHARACTERS) clean = clean.slice(0, -Math.max(64, apiKey?.length ?? 0))
  clean = clean.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const letters = Array.from(clean)
  if (letters.length <= MESSAGE_CHARACTERS) return clean
  return `${letters.slice(0, MESSAGE_CHARACTERS - 1).join('')}…`
}

/** The text of an upstream's error object in any known shape: OpenAI's, FastAPI's, Ollama's, or a string. */
export function errorText(value: unknown): string {
  if (typeof value === 'string') return value
  // Gemini's endpoint sends its error in a list.
  if (Array.isArray(value)) return errorText(value[0])
  if (!isRecord(value)) return ''
  for (const name of ['error', 'message', 'detail', 'title']) {
    const member = value[name]
    if (typeof member === 'string' && member !== '') return member
    if (isRecord(member)) return errorText(member)
    if (Array.isArray(member)) return member.map(detailText).join('; ')
  }
  return JSON.stringify(value)
}

/** One fault in FastAPI's list: where it is, and what. */
function detailText(detail: unknown): string {
  if (!isRecord(detail) || typeof detail['msg'] !== 'string') return JSON.stringify(detail)
  const path = Array.isArray(detail['loc']) ? detail['loc'].join('.') : ''
  return path === '' ? detail['msg'] : `${path}: ${detail['msg']}`
}

const CONTEXT_WORDING = new RegExp(
  [
    'context_length_exceeded',
    'exceed_context_size',
    'context (?:length|window|size)',
    'maximum (?:model|prompt|context|input) length',
    'prompt is too long',
    'input is too long',
    'too many (?:input )?tokens',
    'input token count .* exceeds',
    '\\binputs\\W+tokens\\b.* must be',
    'reduce the length of the (?:messages|prompt)',
  ].join('|'),
  'i',
)

/** Whether an error says that the prompt exceeds the model's window. */
export function isContextOverflow(text: string): boolean {
  return CONTEXT_WORDING.test(text.slice(0, EXAMINED_CHARACTERS))
}
