/**
 * Caches values by the characters of a word in a text, without copying the word: a hash table with open addressing
 * (Knuth, "The Art of Computer Programming" 3, section 6.4, algorithm L) over FNV-1a hashes. Nearly every look-up of
 * an import ends here. A `Map` would spend most of its time on creating and hashing strings.
 */
export class TokenCache<T> {
  /** Longer words are not cached. They rarely occur again, and a client can send words of any length. */
  static readonly longest = 32
  readonly #limit: number
  #slots = new Int32Array(1024)
  #written: string[] = []
  #values: T[] = []

  /** @param limit maximum number of cached words. When it is reached, the cache is cleared. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Returns the cached value for the word at `start` to `end` of `text`, or makes it. */
  of(text: string, start: number, end: number, make: (written: string) => T): T {
    if (end - start > TokenCache.longest) return make(text.slice(start, end))
    const hash = hashOf(text, start, end)
    let slot = hash & (this.#slots.length - 1)
    for (let entry = this.#slots[slot] ?? 0; entry > 0; entry = this.#slots[slot] ?? 0) {
      if (isAt(text, start, end, this.#written[entry - 1] ?? '')) return this.#values[entry - 1] as T
      slot = (slot + 1) & (this.#slots.length - 1)
    }
    const written = detached(text, start, end)
    const made = make(written)
    this.#add(written, made)
    return made
  }

  #add(written: string, value: T): void {
    if (this.#written.length >= this.#limit) {
      this.#slots = new Int32Array(1024)
      this.#written = []
      this.#values = []
    }
    this.#values.push(value)
    this.#place(written, this.#written.push(written))
    if (this.#written.length * 2 <= this.#slots.length) return
    this.#slots = new Int32Array(this.#slots.length * 4)
    for (const [i, word] of this.#written.entries()) this.#place(word, i + 1)
  }

  #place(written: string, entry: number): void {
    let slot = hashOf(written, 0, written.length) & (this.#slots.length - 1)
    while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1)
    this.#slots[slot] = entry
  }
}

/**
 * Copies a slice. V8 represents a slice of 13 or more characters as a pointer into the text, which would stay in
 * memory.
 */
function detached(text: string, start: number, end: number): string {
  const codes: number[] = []
  for (let i = start; i < end; i += 1) codes.push(text.charCodeAt(i))
  return String.fromCharCode(...codes)
}

function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  // Only the low bits select the slot, so the high bits are mixed in.
  return hash ^ (hash >>> 15)
}

function isAt(text: string, start: number, end: number, word: string): boolean {
  if (word.length !== end - start) return false
  for (let i = 0; i < word.length; i += 1) if (text.charCodeAt(start + i) !== word.charCodeAt(i)) return false
  return true
}
