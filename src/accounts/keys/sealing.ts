import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Pepper, Peppers } from './pepper.ts'

/** What a sealed secret is for. Only the same purpose and the same owner open it. */
export type SealedFor = {
  readonly purpose: 'totp'
  /** The id of the account. */
  readonly accountId: string
}

const versionBytes = 4
const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts a secret that the service must read again (AES-256-GCM). The key is derived from the newest secret of
 * `KEY_PEPPER`, which is outside the database.
 * @returns the version of that secret, the nonce, the tag and the encrypted bytes.
 */
export function seal([pepper]: Peppers, sealedFor: SealedFor, secret: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', keyFrom(pepper, sealedFor), nonce)
  cipher.setAAD(Buffer.from(sealedFor.accountId))
  const encrypted = Buffer.concat([cipher.update(secret), cipher.final()])
  const version = Buffer.alloc(versionBytes)
  version.writeUInt32BE(pepper.version)
  return Buffer.concat([version, nonce, cipher.getAuthTag(), encrypted])
}

/**
 * Decrypts what `seal` has made. Undefined if it was made for something else, was changed, or if `KEY_PEPPER` no longer
 * has its secret.
 */
export function unseal(peppers: Peppers, sealedFor: SealedFor, sealed: Buffer): Buffer | undefined {
  const version = sealed.readUInt32BE()
  const pepper = peppers.find((one) => one.version === version)
  if (!pepper) return undefined
  const [nonceAt, tagAt] = [versionBytes, versionBytes + nonceBytes]
  const nonce = sealed.subarray(nonceAt, tagAt)
  const options = { authTagLength: tagBytes }
  const decipher = createDecipheriv('aes-256-gcm', keyFrom(pepper, sealedFor), nonce, options)
  decipher.setAAD(Buffer.from(sealedFor.accountId))
  decipher.setAuthTag(sealed.subarray(tagAt, tagAt + tagBytes))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(tagAt + tagBytes)), decipher.final()])
  } catch {
    return undefined
  }
}

/** Another key per purpose (HKDF, RFC 5869), which differs from all digests of API keys. */
function keyFrom({ secret }: Pepper, { purpose }: SealedFor): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `sealed secret: ${purpose}`, 32))
}
