import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionDays } from '../accounts/web-sessions.ts'

/**
 * `__Host-` binds a cookie to this very host over TLS (RFC 6265bis, 4.1.3.2). Browsers refuse it without TLS, so that
 * plain http, as on localhost, gets a plain name.
 */
const names = { secure: '__Host-session', plain: 'session' } as const

/** An address with https:// says that browsers reach the service over TLS, whatever the proxy tells. */
export type CookieSettings = { readonly appUrl?: string | undefined }

export function sessionToken(request: FastifyRequest, settings: CookieSettings): string | undefined {
  return request.cookies[isSecure(request, settings) ? names.secure : names.plain]
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  settings: CookieSettings,
  token: string,
): void {
  const secure = isSecure(request, settings)
  reply.setCookie(secure ? names.secure : names.plain, token, {
    ...options(secure),
    maxAge: sessionDays.whole * 86_400,
  })
}

export function clearSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  settings: CookieSettings,
): void {
  const secure = isSecure(request, settings)
  reply.clearCookie(secure ? names.secure : names.plain, options(secure))
}

function options(secure: boolean) {
  return { path: '/', httpOnly: true, secure, sameSite: 'lax' } as const
}

function isSecure(request: FastifyRequest, { appUrl }: CookieSettings): boolean {
  return request.protocol === 'https' || appUrl?.startsWith('https://') === true
}
