import { createHash } from 'node:crypto'

/** SHA-256 of a random token, under which the database stores it. */
export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** What a random token stands for in one use, such as a challenge: 256 bits, from which nobody gets the token or its digest. */
export function derivedFrom(token: string, use: 'state' | 'nonce' | 'verifier' | 'passkey'): Buffer {
  return createHash('sha256').update(`${use}\n${token}`).digest()
}
