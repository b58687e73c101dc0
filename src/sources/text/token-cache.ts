import { detached, record, WordTable } from './word-table.ts'

/**
 * Caches values by the characters of a word in a text, without copying the word. Nearly every look-up of a search
 * ends here. A `Map` would spend most of its time on creating and hashing strings.
 */
export class TokenCache<T> {
  /** Longer words are not cached. They rarely occur again, and a client can send words of any length. */
  static readonly longest = 32
  readonly #limit: number
  #table = new WordTable()
  #values: T[] = []

  /** @param limit maximum number of cached words. When it is reached, the cache is cleared. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Returns the cached value for the word at `start` to `end` of `text`, or makes it.
   * @param hash as `scanHashedWords` gives it.
   */
  of(text: string, start: number, end: number, hash: number, make: (written: string) => T): T {
    if (end - start > TokenCache.longest) return make(text.slice(start, end))
    const at = this.#table.find(text, start, end, hash)
    if (at >= 0) return this.#values[this.#table.records[at + record.index] as number] as T
    const made = make(detached(text, start, end))
    if (this.#values.length >= this.#limit) {
      this.#table = new WordTable()
      this.#values = []
    }
    this.#table.add(text, start, end, hash)
    this.#values.push(made)
    return made
  }
}
