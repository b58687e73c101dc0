import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, ServiceError } from '../../../errors.ts'

export type DownloadOptions = {
  /** Wait before the first retry, in milliseconds. It doubles with each retry. */
  readonly baseMs?: number
  readonly timeoutMs?: number
  /** ETag of the known content. The result is `undefined` if the content has not changed. */
  readonly etag?: string | undefined
  /** Statuses that the caller handles itself, like a success. */
  readonly accept?: readonly number[]
  /** Number of retries after a transient failure. Default: 3. */
  readonly retries?: number | undefined
  /** Maximum bytes of the reply. Default: no limit. */
  readonly maxBytes?: number | undefined
  /** Whether redirects are followed. Default: `follow`; `error` makes one a failure. */
  readonly redirect?: 'follow' | 'error' | undefined
  readonly signal?: AbortSignal | undefined
}

/** The reply has more bytes than the caller allows. */
export class ReplyTooLarge extends ServiceError {
  constructor(url: string, maxBytes: number) {
    super('upstream_error', `The reply of ${url} has more than ${maxBytes} bytes, which is the limit.`)
  }
}

export type Download = { readonly body: Buffer; readonly etag: string | undefined; readonly status: number }

/** Identifies the importer to the operators of the source. */
export const userAgent = 'meduyak/0.1 (importer of a self-hosted library of chassidic texts)'

const standardRetries = 3
const maxWaitMs = 30_000

/**
 * Downloads a URL. Transient failures (no answer, overload, server errors) are retried three times.
 * @throws ServiceError `upstream_error` with one sentence naming the address and the reason.
 */
export async function download(url: string, options: DownloadOptions = {}): Promise<Download | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptOnce(url, options)
    if ('fault' in outcome) {
      if (!outcome.retryable || attempt === (options.retries ?? standardRetries))
        throw failure(url, outcome.fault, attempt + 1)
      const backoff = (options.baseMs ?? 500) * 2 ** attempt
      await sleep(Math.min(maxWaitMs, Math.max(backoff, outcome.waitMs)), undefined, {
        ...(options.signal && { signal: options.signal }),
      })
      continue
    }
    return outcome.status === 304 ? undefined : outcome
  }
}

/** Downloads a URL and parses it as JSON. */
export async function downloadJson(url: string, options: DownloadOptions = {}): Promise<unknown> {
  const found = await download(url, options)
  try {
    return JSON.parse(found?.body.toString('utf8') ?? '')
  } catch {
    if (found?.status === 404) throw new ServiceError('not_found', `There is nothing at ${url}.`)
    throw new ServiceError('upstream_error', `${url} did not answer with JSON.`)
  }
}

type Fault = { readonly fault: string; readonly retryable: boolean; readonly waitMs: number }

async function attemptOnce(url: string, options: DownloadOptions): Promise<Download | Fault> {
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': userAgent, ...(options.etag ? { 'if-none-match': options.etag } : {}) },
      redirect: options.redirect ?? 'follow',
      signal: AbortSignal.any([
        AbortSignal.timeout(options.timeoutMs ?? 120_000),
        ...(options.signal ? [options.signal] : []),
      ]),
    })
    const { status } = response
    const isWanted = response.ok || status === 304 || options.accept?.includes(status)
    if (!isWanted) {
      await response.body?.cancel()
      const seconds = Number(response.headers.get('retry-after') ?? 0)
      const waitMs = Number.isFinite(seconds) ? seconds * 1000 : 0
      return { fault: `the server answered ${status}`, retryable: status === 429 || status >= 500, waitMs }
    }
    const body = await bodyOf(response, url, options.maxBytes)
    return { body, etag: response.headers.get('etag') ?? undefined, status }
  } catch (error) {
    if (error instanceof ReplyTooLarge) throw error
    return { fault: reasonOf(error, options.timeoutMs ?? 120_000), retryable: true, waitMs: 0 }
  }
}

/** @throws ReplyTooLarge as soon as too many bytes have come, and cancels the rest. */
async function bodyOf(response: Response, url: string, maxBytes: number | undefined): Promise<Buffer> {
  if (maxBytes === undefined || !response.body) return Buffer.from(await response.arrayBuffer())
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new ReplyTooLarge(url, maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return (cause as { code?: string }).code ?? messageOf(cause)
}

function failure(url: string, fault: string, attempts: number): ServiceError {
  const times = attempts === 1 ? '' : ` (tried ${attempts} times)`
  return new ServiceError('upstream_error', `${url} could not be read: ${fault}${times}.`)
}

/** The beginning of a file, and its size if that is known. */
export type Head = { readonly bytes: number | undefined; readonly text: string }

/** The properties of a version stand before its text and take some hundred bytes. */
export const headBytes = 8_192

/** Downloads the beginning of a file. */
export async function headAt(url: string, signal: AbortSignal): Promise<Head> {
  const response = await fetch(url, {
    headers: { 'user-agent': userAgent, range: `bytes=0-${headBytes - 1}`, 'accept-encoding': 'identity' },
    signal,
  })
  if (!response.ok || !response.body) {
    await response.body?.cancel()
    throw new Error(`the server answered ${response.status}`)
  }
  const pieces: Uint8Array[] = []
  let read = 0
  let isWhole = true
  // A server without ranges sends the whole file: leaving the loop closes the connection.
  for await (const piece of response.body) {
    pieces.push(piece)
    read += piece.length
    isWhole = read < headBytes
    if (!isWhole) break
  }
  const text = Buffer.concat(pieces).subarray(0, headBytes).toString('utf8')
  return { bytes: sizeOf(response) ?? (isWhole ? read : undefined), text }
}

function sizeOf({ status, headers }: Response): number | undefined {
  const text = status === 206 ? headers.get('content-range')?.split('/')[1] : headers.get('content-length')
  return text && /^\d+$/.test(text) ? Number(text) : undefined
}
