import { createHash, randomBytes } from 'node:crypto'

/** A token of 256 random bits for a link or a cookie, and what the database stores of it. */
export function newToken(): { readonly token: string; readonly digest: Buffer } {
  const token = randomBytes(32).toString('base64url')
  return { token, digest: tokenDigest(token) }
}

/** SHA-256 of a random token, under which the database stores it. */
export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** What a random token stands for in one use, such as a challenge: 256 bits, from which nobody gets the token or its digest. */
export function derivedFrom(token: string, use: 'state' | 'nonce' | 'verifier' | 'passkey'): Buffer {
  return createHash('sha256').update(`${use}\n${token}`).digest()
}
