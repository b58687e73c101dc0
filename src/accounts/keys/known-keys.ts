import { hash } from 'node:crypto'
import type { Principal } from '../principal.ts'

const keptMs = 1_000
const maxKeys = 10_000

/**
 * Caches the principals of keys for one second. Only for requests that check their key again in the database
 * before they change anything, as each start of a turn does. Other requests must not use it.
 */
export class KeyCache {
  /** Indexed by a digest of the key (256 random bits), so no key is stored in clear text. */
  readonly #found = new Map<string, { readonly principal: Principal; readonly until: number }>()

  get(keyText: string): Principal | undefined {
    const found = this.#found.get(nameOf(keyText))
    return found && found.until > performance.now() ? found.principal : undefined
  }

  set(keyText: string, principal: Principal): void {
    const name = nameOf(keyText)
    // Reinserting moves a key to the end, so the oldest entry is evicted first.
    this.#found.delete(name)
    if (this.#found.size >= maxKeys) this.#found.delete(this.#found.keys().next().value ?? '')
    this.#found.set(name, { principal, until: performance.now() + keptMs })
  }
}

function nameOf(keyText: string): string {
  return hash('sha256', keyText, 'base64')
}
