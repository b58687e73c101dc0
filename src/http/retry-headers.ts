import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '../errors.ts'

/**
 * Reads the headers of a client about retries.
 * @throws ServiceError `invalid_value` for a key that is not 1 to 255 visible ASCII characters.
 */
export function retryHeaders(headers: IncomingHttpHeaders): {
  readonly key: string | undefined
  readonly retried: boolean
} {
  const sent = headers['idempotency-key']
  const key = Array.isArray(sent) ? sent[0] : sent
  if (key !== undefined && !/^[\u0021-\u007e]{1,255}$/.test(key)) {
    throw new ServiceError('invalid_value', '`Idempotency-Key` must be 1 to 255 visible ASCII characters.', {
      param: 'Idempotency-Key',
    })
  }
  return { key, retried: Number(headers['x-stainless-retry-count'] ?? 0) > 0 }
}
