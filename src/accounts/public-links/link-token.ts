import { randomBytes } from 'node:crypto'
import { digestKey, type Pepper, type Peppers } from '../keys/pepper.ts'
import { tokenDigest } from '../sign-in/token-digest.ts'

/** What the database stores of a public link. Nobody can derive the token from it without `KEY_PEPPER`. */
export type StoredLink = {
  /** SHA-256 of the token, by which the link is found. */
  readonly digest: Buffer
  /** 32 random bytes from which the token is derived. Null for a link whose token was random. */
  readonly seed: Buffer | null
}

/** Creates a link. Its token has 256 bits, as 43 characters of base64url. */
export function newLink([pepper]: Peppers): { readonly digest: Buffer; readonly seed: Buffer } {
  const seed = randomBytes(32)
  return { digest: tokenDigest(tokenFrom(pepper, seed)), seed }
}

/**
 * The token of a link, for its owner. Undefined for a link of an earlier version, and when `KEY_PEPPER` no longer has the
 * secret of its creation: such a link works, but its address cannot be shown.
 */
export function linkToken(peppers: Peppers, { digest, seed }: StoredLink): string | undefined {
  if (seed === null) return undefined
  return peppers.map((pepper) => tokenFrom(pepper, seed)).find((token) => tokenDigest(token).equals(digest))
}

/** The digest by which the link of a token is found. Undefined for a text that no link has. */
export function linkDigest(token: string): Buffer | undefined {
  // Tokens of earlier versions had 32 letters and digits, or 43 characters of base64url.
  return /^[\w-]{32,43}$/.test(token) ? tokenDigest(token) : undefined
}

function tokenFrom(pepper: Pepper, seed: Buffer): string {
  // API keys do not begin like this, so a token can never be derived from the digest of a key.
  return digestKey(`public link\n${seed.toString('base64url')}`, pepper).toString('base64url')
}
