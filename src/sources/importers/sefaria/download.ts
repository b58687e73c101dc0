import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, ServiceError } from '../../../errors.ts'

export type DownloadOptions = {
  /** Wait before the first retry; it doubles with each. */
  readonly baseMs?: number
  readonly timeoutMs?: number
  /** ETag of what is there already: the answer is then `undefined` if nothing changed. */
  readonly etag?: string | undefined
  /** Answers of these statuses are for the caller to read, as a success is. */
  readonly accept?: readonly number[]
}

export type Download = { readonly body: Buffer; readonly etag: string | undefined; readonly status: number }

/** Says who asks, so that the people behind the source can tell what this traffic is. */
export const userAgent = 'agent-chat-service/0.1 (importer of a self-hosted library of chassidic texts)'

const retries = 3
const longestWaitMs = 30_000

/**
 * Gets what is at `url`. What may pass (no answer, overload, faults of the server) is tried again three times.
 * @throws ServiceError `upstream_error` with one sentence naming the address and the reason.
 */
export async function download(url: string, options: DownloadOptions = {}): Promise<Download | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptOnce(url, options)
    if ('fault' in outcome) {
      if (!outcome.mayPass || attempt === retries) throw failure(url, outcome.fault, attempt + 1)
      const backoff = (options.baseMs ?? 500) * 2 ** attempt
      await sleep(Math.min(longestWaitMs, Math.max(backoff, outcome.waitMs)))
      continue
    }
    return outcome.status === 304 ? undefined : outcome
  }
}

/** The same, read as JSON. */
export async function downloadJson(url: string, options: DownloadOptions = {}): Promise<unknown> {
  const found = await download(url, options)
  try {
    return JSON.parse(found?.body.toString('utf8') ?? '')
  } catch {
    if (found?.status === 404) throw new ServiceError('not_found', `There is nothing at ${url}.`)
    throw new ServiceError('upstream_error', `${url} did not answer with JSON.`)
  }
}

type Fault = { readonly fault: string; readonly mayPass: boolean; readonly waitMs: number }

async function attemptOnce(url: string, options: DownloadOptions): Promise<Download | Fault> {
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': userAgent, ...(options.etag ? { 'if-none-match': options.etag } : {}) },
      signal: AbortSignal.timeout(options.timeoutMs ?? 120_000),
    })
    const { status } = response
    const isWanted = response.ok || status === 304 || options.accept?.includes(status)
    if (!isWanted) {
      await response.body?.cancel()
      const seconds = Number(response.headers.get('retry-after') ?? 0)
      const waitMs = Number.isFinite(seconds) ? seconds * 1000 : 0
      return { fault: `the server answered ${status}`, mayPass: status === 429 || status >= 500, waitMs }
    }
    const body = Buffer.from(await response.arrayBuffer())
    return { body, etag: response.headers.get('etag') ?? undefined, status }
  } catch (error) {
    return { fault: reasonOf(error, options.timeoutMs ?? 120_000), mayPass: true, waitMs: 0 }
  }
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
