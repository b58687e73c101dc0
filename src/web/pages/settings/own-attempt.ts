import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Site } from '../../../accounts/second-factor/passkeys.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { originOf } from '../../../http/origin.ts'
import { productName } from '../../../http/product.ts'
import type { SignInAttempt } from '../../visitors/sign-in-limits.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'

/** Guesses of the current password or a code count for the session: its holder is no stranger to the account. */
export function ownAttempt(request: FastifyRequest): SignInAttempt {
  const { person: account, token } = visitorOf(request)
  const browser = createHash('sha256').update(token).digest('base64url')
  return { email: account.email, address: clientAddress(request), browser }
}

/** The site that passkeys belong to. */
export function siteOf(services: WebServices, request: FastifyRequest): Site {
  return { origin: originOf(services, request), product: services.appName ?? productName }
}
