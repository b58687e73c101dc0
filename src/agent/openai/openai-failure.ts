import type { ProviderFailure } from '../provider.ts'

const MESSAGE_CHARACTERS = 300
/** Patterns are tried on no more than this: the upstream must not choose how long they take. */
const EXAMINED_CHARACTERS = 4_096
const HIDDEN = '[hidden]'

/** Why a model call failed. Used inside the provider only: callers see it as the end of the call. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure'
  readonly kind: ProviderFailure
  /** The same request may be sent again, as long as none of the reply has arrived. */
  readonly retryable: boolean
  /** How long the upstream asked us to wait first. */
  readonly retryAfterMs: number | undefined

  constructor(
    kind: ProviderFailure,
    message: string,
    options: {
      readonly retryable?: boolean
      readonly retryAfterMs?: number | undefined
      readonly cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.retryable = options.retryable ?? false
    this.retryAfterMs = options.retryAfterMs
  }
}

/** A JSON object, as opposed to null, a list or a scalar. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Anything thrown during a call as its failure. A fault with a code comes from the connection, which could not be made
 * or broke; only the code is shown, since the text may hold addresses. One without is a defect of ours: no retry.
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

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** Everything that could be the key we sent: itself, its beginning in a masked echo, or any other bearer secret. */
function secretPatterns(apiKey: string | undefined): readonly RegExp[] {
  const general = [
    /\bBearer\s+[^\s"',;]+/gi,
    /\b(?:sk|pk|gsk|xai|hf|nvapi)[-_][\w*.-]{6,}/gi,
    /\bAIza[\w-]{10,}/g,
    /[^\s"']*\*{3,}[^\s"']*/g,
  ]
  if (!apiKey) return general
  // A key as short as a word ("none", "ollama") is hidden only where it stands alone, or it would eat other words.
  const whole = apiKey.length < 8 ? `(?<!\\w)${escapePattern(apiKey)}(?!\\w)` : escapePattern(apiKey)
  const own = [new RegExp(whole, 'g')]
  if (apiKey.length >= 12) own.push(new RegExp(`${escapePattern(apiKey.slice(0, 6))}[^\\s"',;]*`, 'g'))
  return [...own, ...general]
}

/** Text of the upstream's made fit for a message: no secrets, one line, at most 300 characters. */
export function presentable(text: string, apiKey: string | undefined): string {
  let clean = text.slice(0, EXAMINED_CHARACTERS)
  for (const pattern of secretPatterns(apiKey)) clean = clean.replace(pattern, HIDDEN)
  // The cut may have gone through a key and left its beginning at the end.
  if (text.length > EXAMINED_CHARACTERS) clean = clean.slice(0, -Math.max(64, apiKey?.length ?? 0))
  clean = clean.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const letters = Array.from(clean)
  if (letters.length <= MESSAGE_CHARACTERS) return clean
  return `${letters.slice(0, MESSAGE_CHARACTERS - 1).join('')}…`
}

/** What an upstream's error object says, whatever its shape: OpenAI's, FastAPI's, Ollama's, or a bare string. */
export function errorText(value: unknown): string {
  if (typeof value === 'string') return value
  // Gemini's endpoint puts its error in a list.
  if (Array.isArray(value)) return errorText(value[0])
  if (!isRecord(value)) return ''
  for (const name of ['error', 'message', 'detail', 'title']) {
    const member = value[name]
    if (typeof member === 'string' && member !== '') return member
    if (isRecord(member)) return errorText(member)
    if (Array.isArray(member)) return JSON.stringify(member)
  }
  return JSON.stringify(value)
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

/** True when an error is about a prompt that does not fit the model's window. */
export function isContextOverflow(text: string): boolean {
  return CONTEXT_WORDING.test(text.slice(0, EXAMINED_CHARACTERS))
}
