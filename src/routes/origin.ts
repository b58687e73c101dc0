import type { FastifyRequest } from 'fastify'
import type { Services } from './services.ts'

/**
 * Where the client finds this service, such as `https://chat.example.org`: as the operator says it, else as the request
 * does. It never ends in a slash; empty when a request says nothing usable.
 */
export function originOf({ appUrl }: Pick<Services, 'appUrl'>, { protocol, host }: FastifyRequest): string {
  if (appUrl !== undefined) return appUrl.replace(/\/+$/, '')
  const said = `${protocol}://${host}`
  return URL.canParse(said) ? new URL(said).origin : ''
}
