import type { FastifyReply, FastifyRequest } from 'fastify'
import { knownBrowserDays } from '../../accounts/sign-in/known-browsers.ts'
import { stepMinutes } from '../../accounts/sign-in/sign-in-steps.ts'
import { sessionDays } from '../../accounts/sign-in/web-sessions.ts'

/**
 * `__Host-` binds a cookie to this host over TLS (RFC 6265bis, 4.1.3.2). Browsers refuse such a cookie
 * without TLS, so plain http, for example on localhost, uses the plain name.
 */
const names = {
  session: { secure: '__Host-session', plain: 'session' },
  /**
   * Marks a browser that has signed in before, see `accounts/known-browsers`. Signing out does not remove it.
   */
  known: { secure: '__Host-known', plain: 'known' },
  /** A sign-in that has begun. */
  step: { secure: '__Host-step', plain: 'step' },
} as const

/** With an https:// URL browsers reach the service over TLS, whatever the proxy reports. */
export type CookieSettings = { readonly appUrl?: string | undefined }

export function sessionToken(request: FastifyRequest, settings: CookieSettings): string | undefined {
  return request.cookies[nameOf('session', isSecure(request, settings))]
}

export function knownBrowserCookie(request: FastifyRequest, settings: CookieSettings): string | undefined {
  return request.cookies[nameOf('known', isSecure(request, settings))]
}

export function setKnownBrowserCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  settings: CookieSettings,
  token: string,
): void {
  const secure = isSecure(request, settings)
  reply.setCookie(nameOf('known', secure), token, { ...options(secure), maxAge: knownBrowserDays * 86_400 })
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  settings: CookieSettings,
  token: string,
): void {
  const secure = isSecure(request, settings)
  reply.setCookie(nameOf('session', secure), token, {
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
  reply.clearCookie(nameOf('session', secure), options(secure))
}

export function stepToken(request: FastifyRequest, settings: CookieSettings): string | undefined {
  return request.cookies[nameOf('step', isSecure(request, settings))]
}

export function setStepCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  settings: CookieSettings,
  token: string,
): void {
  const secure = isSecure(request, settings)
  reply.setCookie(nameOf('step', secure), token, { ...options(secure), maxAge: stepMinutes * 60 })
}

export function clearStepCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  settings: CookieSettings,
): void {
  const secure = isSecure(request, settings)
  reply.clearCookie(nameOf('step', secure), options(secure))
}

function nameOf(cookie: keyof typeof names, secure: boolean): string {
  return names[cookie][secure ? 'secure' : 'plain']
}

function options(secure: boolean) {
  return { path: '/', httpOnly: true, secure, sameSite: 'lax' } as const
}

function isSecure(request: FastifyRequest, { appUrl }: CookieSettings): boolean {
  return request.protocol === 'https' || appUrl?.startsWith('https://') === true
}
