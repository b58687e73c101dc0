import type { FastifyRequest } from 'fastify'

/**
 * Where the client finds this service, such as `https://chat.example.org`: as the operator says it, else as the request
 * does. It never ends in a slash; empty when a request says nothing usable.
 */
export function originOf(
  { appUrl }: { readonly appUrl?: string | undefined },
  { protocol, host }: FastifyRequest,
): string {
  if (appUrl !== undefined) return appUrl.replace(/\/+$/, '')
  const said = `${protocol}://${host}`
  if (said !== last.said) last = { said, origin: URL.canParse(said) ? new URL(said).origin : '' }
  return last.origin
}

/** Nearly all requests say the same. */
let last = { said: '', origin: '' }
