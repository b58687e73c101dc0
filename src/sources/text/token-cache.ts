import type { TextWords } from './text-words.ts'
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
   * Returns the cached value for a word of `text`, or makes it.
   * @param words of this text.
   */
  of(text: string, words: TextWords, word: number, make: (written: string) => T): T {
    const start = words.starts[word] as number
    const end = words.ends[word] as number
    if (end - start > TokenCache.longest) return make(text.slice(start, end))
    const known = this.#table.find(words, word)
    if (known !== 0) return this.#values[this.#table.records[known + record.value] as number] as T
    const made = make(detached(text, start, end))
    if (this.#values.length >= this.#limit) {
      this.#table = new WordTable()
      this.#values = []
    }
    const at = this.#table.add(words, word)
    this.#table.records[at + record.value] = this.#values.push(made) - 1
    return made
  }
}
