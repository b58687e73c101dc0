import { ServiceError } from '../errors.ts'
import type { NotHeld } from '../sources/library/passages.ts'

/** The 404 of a ref that the library does not have, with the nearest refs and where its publisher has it. */
export function unknownRef(ref: string, { nearest, publisher }: NotHeld): ServiceError {
  const link = publisher
    ? ` Its publisher has it, under the licence ${publisher.license}: ${publisher.url}`
    : ''
  const near = nearest.length > 0 ? ` The nearest that exist: ${nearest.join(' | ')}.` : ''
  return new ServiceError('not_found', `The library has no "${ref}".${near}${link}`, { param: 'ref' })
}
