import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { isRecord, parsedJson } from '../json.ts'
import type { ModelRequest } from '../provider.ts'
import { type Adaptation, bothAdaptations, lessonOf, noAdaptation } from './adaptation.ts'
import {
  asFailure,
  CallFailure,
  EXAMINED_CHARACTERS,
  errorText,
  isContextOverflow,
  presentable,
} from './failure.ts'
import { type RequestTarget, type WireRequest, wireRequest } from './request.ts'
import type { Watchdog } from './watchdog.ts'

/** The endpoint that calls are sent to. */
export type Target = RequestTarget & {
  readonly url: URL
  readonly apiKey: string | undefined
  /** Headers that the operator adds. */
  readonly headers: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
  /** Learned from the upstream's refusals, and kept for later calls. */
  adaptation: Adaptation
}

export type Body = Dispatcher.ResponseData['body']

const ERROR_BODY_BYTES = 64 * 1024
const ERROR_BODY_MS = 2_000
const LINGER_MS = 50
/** No server that is known refuses more parameters, and each refusal costs a round trip. */
const MAX_LESSONS = 8

/** The body of a successful response, and the parameters without which it was asked for. */
export type OpenedReply = { readonly body: Body; readonly leftOut: readonly string[] }

/**
 * Sends the request. One that the upstream refuses for its form is sent again in a form that it accepts.
 * @throws CallFailure for a refusal or a failed connection.
 */
export async function openReply(
  target: Target,
  request: ModelRequest,
  watch: Watchdog,
): Promise<OpenedReply> {
  let learned = noAdaptation
  for (let lessons = 0; ; lessons += 1) {
    const adaptation = bothAdaptations(target.adaptation, learned)
    const wire = wireRequest(target, request, adaptation)
    const response = await post(target, wire.body, request.headers, watch)
    if (response.statusCode >= 200 && response.statusCode < 300) {
      // Stored only if the change helped, and merged with what other calls have learned meanwhile.
      if (lessons > 0) target.adaptation = bothAdaptations(target.adaptation, learned)
      return { body: readable(response), leftOut: wire.leftOut }
    }
    const text = await readErrorBody(response.body)
    const lesson = lessonFrom(response, text, wire, request, adaptation, target)
    if (!lesson || 'param' in lesson || lessons === MAX_LESSONS)
      throw refusal(target, response, text, lesson && 'param' in lesson ? lesson.param : undefined)
    learned = lesson.adaptation
  }
}

function lessonFrom(
  { statusCode: status }: Dispatcher.ResponseData,
  text: string,
  { sent }: WireRequest,
  request: ModelRequest,
  adaptation: Adaptation,
  { extra }: Target,
): ReturnType<typeof lessonOf> {
  // llama.cpp sends the refusals of a chat template with 500.
  const isRefusal = status === 400 || status === 422 || (status === 500 && /\bjinja\b/i.test(text))
  if (!isRefusal || isContextOverflow(text)) return undefined
  return lessonOf(text.slice(0, EXAMINED_CHARACTERS), sent, request, adaptation, Object.keys(extra))
}

async function post(
  target: Target,
  body: Buffer,
  more: ModelRequest['headers'],
  watch: Watchdog,
): Promise<Dispatcher.ResponseData> {
  const headers: Record<string, string> = {
    ...target.headers,
    ...more,
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    'accept-encoding': 'identity',
  }
  if (target.apiKey) headers['authorization'] = `Bearer ${target.apiKey}`
  headers['content-length'] = `${body.length}`
  watch.expect('first-byte')
  const { dispatcher, url } = target
  // The watchdog's timers replace undici's, which SSE comments would restart. Undici follows no redirects.
  const limits = { headersTimeout: 0, bodyTimeout: 0 }
  try {
    const { origin, pathname, search } = url
    const sent = { headers, body: once(body), signal: watch.signal }
    const options = { origin, path: pathname + search, ...sent, ...limits }
    const response = await dispatcher.request({ method: 'POST', ...options })
    // A destroyed body emits an error even if nothing iterates it.
    response.body.on('error', () => {})
    return response
  } catch (fault) {
    throw watch.failure ?? asFailure(fault)
  }
}

/**
 * A body that is empty after it was sent. Undici keeps the body until the reply ends, and this frees a long
 * prompt earlier. The cast is needed because undici accepts any iterable but its type names only streams.
 */
function once(bytes: Buffer): Readable {
  let left: Buffer | undefined = bytes
  const next = (): IteratorResult<Buffer> => {
    const value = left
    left = undefined
    return value ? { done: false, value } : { done: true, value: undefined }
  }
  const iterable: Iterable<Buffer> = { [Symbol.iterator]: () => ({ next }) }
  return iterable as unknown as Readable
}

function readable(response: Dispatcher.ResponseData): Body {
  const encoding = headerOf(response, 'content-encoding')
  if (!encoding || encoding === 'identity') return response.body
  response.body.destroy()
  throw new CallFailure('upstream', "The model's server sent a compressed reply although asked not to.")
}

function headerOf(response: Pick<Dispatcher.ResponseData, 'headers'>, name: string): string | undefined {
  const value = response.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Reads the beginning of an error's body. A body that stalls or breaks ends there. */
async function readErrorBody(body: Body): Promise<string> {
  const timer = setTimeout(() => body.destroy(), ERROR_BODY_MS)
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of body) {
      parts.push(part)
      size += part.length
      if (size >= ERROR_BODY_BYTES) break
    }
  } catch {
    // Use the bytes that have arrived.
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(parts).toString('utf8', 0, ERROR_BODY_BYTES)
}

/** The readable part of an error's body. An HTML page, as proxies send it, is useless for users. */
function saidIn(text: string): string {
  const body = parsedJson(text)
  if (body !== undefined) return errorText(body)
  return text.trimStart().startsWith('<') ? '' : text
}

/**
 * What a response without success means.
 * @param text its body.
 */
export function refusal(
  target: Pick<Target, 'apiKey'>,
  response: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  text: string,
  param?: string,
): CallFailure {
  const status = response.statusCode
  const said = saidIn(text)
  const detail = said === '' ? '.' : `: ${said}`
  const explain = (start: string) => presentable(`${start} (HTTP ${status})${detail}`, target.apiKey)
  if (status < 400) {
    return new CallFailure('upstream', explain("The model's server redirects, which is not followed"), {
      status,
    })
  }
  if ([400, 413, 422, 500].includes(status) && isContextOverflow(text)) {
    return new CallFailure('context', explain("The prompt is too long for the model's window"), { status })
  }
  if (status >= 500 || status === 408 || status === 409 || status === 429) {
    const retryAfterMs = readRetryAfter(response) ?? retryDelayIn(text)
    return new CallFailure('upstream', explain("The model's server failed"), {
      retryable: true,
      retryAfterMs,
      status,
    })
  }
  const refused = param === undefined ? 'the request' : `the parameter \`${param}\``
  return new CallFailure('rejected', explain(`The model's server refused ${refused}`), { status, param })
}

function readRetryAfter(response: Pick<Dispatcher.ResponseData, 'headers'>): number | undefined {
  const milliseconds = Number(headerOf(response, 'retry-after-ms') ?? Number.NaN)
  if (milliseconds >= 0) return milliseconds
  const value = headerOf(response, 'retry-after')
  if (value === undefined) return undefined
  const waitMs = /^[\d.]+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}

/** The delay that Google's APIs name in the body of an error (google.rpc.RetryInfo), such as `"retryDelay": "1.5s"`. */
function retryDelayIn(text: string): number | undefined {
  const [body] = [parsedJson(text)].flat()
  const error = isRecord(body) ? body['error'] : undefined
  const details = isRecord(error) && Array.isArray(error['details']) ? error['details'] : []
  const delay: unknown = details.find((one) => isRecord(one) && 'retryDelay' in one)?.retryDelay
  const seconds = typeof delay === 'string' ? Number(/^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1]) : Number.NaN
  return Number.isNaN(seconds) ? undefined : seconds * 1_000
}

/**
 * Releases a body. A complete one gets a moment to end, so that its connection can be reused. Otherwise the
 * connection is closed.
 */
export async function releaseBody(body: Body, complete: boolean): Promise<void> {
  if (body.closed) return
  if (!complete) {
    body.destroy()
    return
  }
  const closed = new Promise<void>((resolve) => body.once('close', resolve))
  body.resume()
  const timer = setTimeout(() => body.destroy(), LINGER_MS)
  await closed
  clearTimeout(timer)
}
