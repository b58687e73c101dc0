import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digestKey, type Peppers } from '../keys/pepper.ts'

/** Days for which a browser that signed in is known to the account. */
export const knownBrowserDays = 365

/**
 * A token that later shows that a browser has signed in to this account before (OWASP, "Slow Down Online
 * Guessing Attacks with Device Cookies"). It grants no access; wrong passwords from such a browser are counted
 * separately. It is signed with the newest pepper, so nothing is stored.
 */
export function knownBrowserToken(peppers: Peppers, email: string, now = Date.now()): string {
  const expires = Math.floor(now / 1_000) + knownBrowserDays * 86_400
  const claim = `${expires}.${randomBytes(12).toString('base64url')}`
  return `${claim}.${signature(peppers[0], email, claim).toString('base64url')}`
}

/** The browser's id. Undefined if the token is for another account, malformed or expired. */
export function knownBrowser(
  peppers: Peppers,
  email: string,
  token: string | undefined,
  now = Date.now(),
): string | undefined {
  const [, claim = '', expires, id, signed = ''] =
    /^((\d{10})\.([\w-]{16}))\.([\w-]{43})$/.exec(token ?? '') ?? []
  if (id === undefined || Number(expires) * 1_000 <= now) return undefined
  const given = Buffer.from(signed, 'base64url')
  return peppers.some((pepper) => timingSafeEqual(signature(pepper, email, claim), given)) ? id : undefined
}

function signature(pepper: Peppers[0], email: string, claim: string): Buffer {
  // API keys do not begin like this, so a signature can never equal the digest of a key.
  return digestKey(`known browser\n${email.trim().toLowerCase()}\n${claim}`, pepper)
}
