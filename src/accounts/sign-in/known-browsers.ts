import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digestKey, type Peppers } from '../keys/pepper.ts'

/** Days for which a browser that signed in counts as known to the account. */
export const knownBrowserDays = 365

/**
 * A token by which a browser shows later that it has signed in to this account before (OWASP, "Slow Down Online
 * Guessing Attacks with Device Cookies"). It opens nothing: wrong passwords of such a browser are counted apart from
 * those of strangers. Signed with the newest pepper, so nothing is stored.
 */
export function knownBrowserToken(peppers: Peppers, email: string, now = Date.now()): string {
  const expires = Math.floor(now / 1_000) + knownBrowserDays * 86_400
  const claim = `${expires}.${randomBytes(12).toString('base64url')}`
  return `${claim}.${signature(peppers[0], email, claim).toString('base64url')}`
}

/** The id of the browser, if the token is of this account and has not expired; undefined otherwise. */
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
  // No API key begins like this: the two uses of the pepper cannot be taken for each other.
  return digestKey(`known browser\n${email.trim().toLowerCase()}\n${claim}`, pepper)
}
