import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { ConfigError } from '../../config.ts'

/**
 * A secret outside the database that goes into the key digests. A stolen database alone is not enough to test
 * guessed keys.
 */
export type Pepper = { readonly version: number; readonly secret: string }

/** Newest first. New digests use the first pepper; all of them verify. */
export type Peppers = readonly [Pepper, ...Pepper[]]

/**
 * Parses `KEY_PEPPER`: one secret (version 1), or `2:new,1:old` during a change.
 * @throws ConfigError for a secret below 16 characters or a repeated version.
 */
export function parsePeppers(text: string): Peppers {
  const peppers = text.split(',').map((part): Pepper => {
    const match = /^(\d{1,6}):(.+)$/.exec(part.trim())
    const pepper = match
      ? { version: Number(match[1]), secret: String(match[2]) }
      : { version: 1, secret: part.trim() }
    if (pepper.secret.length < 16)
      throw new ConfigError(
        'KEY_PEPPER has fewer than 16 characters. Generate one with `openssl rand -hex 32`.',
      )
    return pepper
  })
  peppers.sort((a, b) => b.version - a.version)
  if (new Set(peppers.map((p) => p.version)).size !== peppers.length) {
    throw new ConfigError('KEY_PEPPER has the same version twice. Write it as `2:new,1:old`.')
  }
  return peppers as unknown as Peppers
}

/** Created once per pepper. */
const secretKeys = new WeakMap<Pepper, KeyObject>()

/**
 * HMAC-SHA-256 of a key text. A fast hash is sufficient, because the text has 256 random bits (OWASP ASVS 5.0,
 * 6.5.2).
 */
export function digestKey(keyText: string, pepper: Pepper): Buffer {
  const secret = secretKeys.get(pepper) ?? createSecretKey(pepper.secret, 'utf8')
  secretKeys.set(pepper, secret)
  return createHmac('sha256', secret).update(keyText).digest()
}
