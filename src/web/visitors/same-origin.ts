import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/**
 * Refuses changes that another site's page sends with the visitor's cookie. Browsers send the origin in
 * `Sec-Fetch-Site`, old ones in `Origin`; pages cannot set them (OWASP, Cross-Site Request Forgery
 * Prevention, "Fetch Metadata headers").
 * @throws ServiceError `missing_scope` (403).
 */
export function requireSameOrigin(request: FastifyRequest, appUrl: string | undefined): void {
  if (safeMethods.has(request.method)) return
  const site = request.headers['sec-fetch-site']
  if (site === undefined ? isOwnOrigin(request, appUrl) : site === 'same-origin') return
  throw new ServiceError(
    'missing_scope',
    'This form was not sent from a page of this service. Open the page again and send it from there.',
  )
}

function isOwnOrigin(request: FastifyRequest, appUrl: string | undefined): boolean {
  const { origin } = request.headers
  if (origin === undefined) return false
  return (
    origin === `${request.protocol}://${request.host}` ||
    (appUrl !== undefined && origin === new URL(appUrl).origin)
  )
}
