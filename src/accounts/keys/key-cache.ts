import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../principal.ts'

/**
 * Caches the principals of keys for one second. Only for requests that check their key again in the database
 * before they change anything, as each start of a turn does. Other requests must not use it.
 */
export class KeyCache {
  /** Indexed by a digest of the key (256 random bits), so no key is stored in clear text. */
  readonly #found = new LRUCache<string, Principal>({ max: 10_000, ttl: 1_000 })

  get(keyText: string): Principal | undefined {
    return this.#found.get(digestOf(keyText))
  }

  set(keyText: string, principal: Principal): void {
    this.#found.set(digestOf(keyText), principal)
  }
}

function digestOf(keyText: string): string {
  return hash('sha256', keyText, 'base64')
}
