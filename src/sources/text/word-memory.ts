/**
 * Remembers what was made of a word by the characters of a text, without cutting the word out of it: a hash table
 * with open addressing (Knuth, "The Art of Computer Programming" 3, section 6.4, algorithm L) over FNV-1a hashes.
 * Word forms repeat so much that nearly every look-up of an import ends here; a `Map` spends most of its time on
 * making and hashing the string that it is asked for.
 */
export class WordMemory<T> {
  /** Longer ones are rarely met again, and anybody can send one of any length. */
  static readonly longest = 32
  readonly #limit: number
  #slots = new Int32Array(1024)
  #written: string[] = []
  #values: T[] = []

  /** @param limit words that are remembered; then it forgets all and starts again. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** What `make` once made of the word at `start` to `end` of `text`, or makes of it now. */
  of(text: string, start: number, end: number, make: (written: string) => T): T {
    if (end - start > WordMemory.longest) return make(text.slice(start, end))
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

/** V8 makes a slice of 13 characters or more by pointing into the text, which would be remembered with it. */
function detached(text: string, start: number, end: number): string {
  const codes: number[] = []
  for (let i = start; i < end; i += 1) codes.push(text.charCodeAt(i))
  return String.fromCharCode(...codes)
}

function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  // The low bits alone choose the slot.
  return hash ^ (hash >>> 15)
}

function isAt(text: string, start: number, end: number, word: string): boolean {
  if (word.length !== end - start) return false
  for (let i = 0; i < word.length; i += 1) if (text.charCodeAt(start + i) !== word.charCodeAt(i)) return false
  return true
}
