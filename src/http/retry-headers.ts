import type { IncomingHttpHeaders } from 'node:http'
import { invalidValue } from '../errors.ts'

/**
 * Reads the headers of a client about retries.
 * @throws ServiceError `invalid_value` for a key that is not 1 to 255 visible ASCII characters.
 */
export function retryHeaders(headers: IncomingHttpHeaders): {
  readonly key: string | undefined
  readonly retried: boolean
} {
  const sent = headers['idempotency-key']
  const key = idempotencyKey(Array.isArray(sent) ? sent[0] : sent, 'Idempotency-Key')
  return { key, retried: Number(headers['x-stainless-retry-count'] ?? 0) > 0 }
}

/**
 * Checks an idempotency key that a client sent.
 * @param param where it was sent.
 * @throws ServiceError `invalid_value` for a key that is not 1 to 255 visible ASCII characters.
 */
export function idempotencyKey(sent: unknown, param: string): string | undefined {
  if (sent === undefined) return undefined
  if (typeof sent === 'string' && /^[\u0021-\u007e]{1,255}$/.test(sent)) return sent
  throw invalidValue(`\`${param}\` must be 1 to 255 visible ASCII characters.`, param)
}
