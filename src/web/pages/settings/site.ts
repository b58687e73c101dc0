import type { FastifyRequest } from 'fastify'
import type { Site } from '../../../accounts/second-factor/passkeys.ts'
import { originOf } from '../../../http/origin.ts'
import { productName } from '../../../http/product.ts'
import type { WebServices } from '../services.ts'

/** The site that passkeys belong to. */
export function siteOf(services: WebServices, request: FastifyRequest): Site {
  return { origin: originOf(services, request), product: services.appName ?? productName }
}
