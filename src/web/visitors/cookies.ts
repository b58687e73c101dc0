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

type CookieName = keyof typeof names

/** Seconds that browsers keep each. */
const maxAges: Readonly<Record<CookieName, number>> = {
  session: sessionDays.whole * 86_400,
  known: knownBrowserDays * 86_400,
  step: stepMinutes * 60,
}

/** The token in a cookie of the request. */
export function cookieToken(
  request: FastifyRequest,
  settings: CookieSettings,
  cookie: CookieName,
): string | undefined {
  return request.cookies[nameOf(cookie, isSecure(request, settings))]
}

export function setCookie(
  reply: FastifyReply,
  settings: CookieSettings,
  cookie: CookieName,
  token: string,
): void {
  const secure = isSecure(reply.request, settings)
  reply.setCookie(nameOf(cookie, secure), token, { ...options(secure), maxAge: maxAges[cookie] })
}

export function clearCookie(reply: FastifyReply, settings: CookieSettings, cookie: CookieName): void {
  const secure = isSecure(reply.request, settings)
  reply.clearCookie(nameOf(cookie, secure), options(secure))
}

function nameOf(cookie: CookieName, secure: boolean): string {
  return names[cookie][secure ? 'secure' : 'plain']
}

function options(secure: boolean) {
  return { path: '/', httpOnly: true, secure, sameSite: 'lax' } as const
}

function isSecure(request: FastifyRequest, { appUrl }: CookieSettings): boolean {
  return request.protocol === 'https' || appUrl?.startsWith('https://') === true
}
