import { createHash } from 'node:crypto'

/** SHA-256 of a random token, under which the database stores it. */
export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
