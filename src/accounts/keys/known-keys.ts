import { hash } from 'node:crypto'
import type { Principal } from '../principal.ts'

const keptMs = 1_000
const maxKeys = 10_000

/**
 * Who the keys of the last second belong to: for requests that ask the database for their key again before
 * anything comes of them, as each start of a turn does under its account's lock. No other request may be let in by it.
 */
export class KeyCache {
  /** By a digest of the key, which has 256 random bits: no key is kept in clear. */
  readonly #found = new Map<string, { readonly principal: Principal; readonly until: number }>()

  get(keyText: string): Principal | undefined {
    const found = this.#found.get(nameOf(keyText))
    return found && found.until > performance.now() ? found.principal : undefined
  }

  set(keyText: string, principal: Principal): void {
    const name = nameOf(keyText)
    // The oldest first, so that what is dropped is what nobody uses.
    this.#found.delete(name)
    if (this.#found.size >= maxKeys) this.#found.delete(this.#found.keys().next().value ?? '')
    this.#found.set(name, { principal, until: performance.now() + keptMs })
  }
}

function nameOf(keyText: string): string {
  return hash('sha256', keyText, 'base64')
}
