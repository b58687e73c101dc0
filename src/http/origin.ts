import type { FastifyRequest } from 'fastify'

/**
 * The address of this service for the client, such as `https://chat.example.org`: `APP_URL` if set, otherwise
 * from the request. It has no trailing slash; empty when the request has no usable host.
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

/** Caches the last origin, because nearly all requests have the same one. */
let last = { said: '', origin: '' }
