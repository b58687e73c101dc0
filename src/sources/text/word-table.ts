import { scanHashedWords } from './word-scanner.ts'

/** Numbers of a record before its letters. A caller may change `bits` and `term`. */
export const record = { bits: 0, term: 1, index: 2, length: 3, letters: 4 } as const

/**
 * Finds the words of texts: a hash table with open addressing (Knuth, "The Art of Computer Programming" 3, section 6.4,
 * algorithm L) in typed arrays. A word that occurred before costs one look at its characters, and no object. All that
 * is kept of a word is one record, because each further place in memory costs as much as reading the word.
 */
export class WordTable {
  /** The records of the words: `record` names their numbers. Valid until the next word is added. */
  records = new Int32Array(65_536)
  /** Where the records of the words of the text begin that was read last. Valid up to the result of `read`. */
  words = new Int32Array(1024)
  /** Number of different words. */
  size = 0
  /** Hash, and the beginning of the record + 1, of each slot. */
  #slots = new Int32Array(2 * 4096)
  #length = 0

  /**
   * Reads a text.
   * @param added receives each word that did not occur before, with its new record. Its index is `size - 1`.
   * @returns the number of words of the text, which are in `words`.
   */
  read(text: string, added: (word: string, at: number) => void): number {
    let count = 0
    scanHashedWords(text, (start, end, hash) => {
      let at = this.find(text, start, end, hash)
      if (at < 0) {
        at = this.add(text, start, end, hash)
        added(detached(text, start, end), at)
      }
      if (count === this.words.length) this.words = grown(this.words, count * 2)
      this.words[count] = at
      count += 1
    })
    return count
  }

  /** Where the record of a word of `text` begins; -1 if it has none. `hash` as the scanner gives it. */
  find(text: string, start: number, end: number, hash: number): number {
    const slots = this.#slots
    const mask = slots.length / 2 - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot * 2 + 1] as number
      if (entry === 0) return -1
      if (slots[slot * 2] === hash && this.#isWord(entry - 1, text, start, end)) return entry - 1
    }
  }

  #isWord(at: number, text: string, start: number, end: number): boolean {
    const records = this.records
    if (records[at + record.length] !== end - start) return false
    for (let i = start, next = at + record.letters; i < end; i += 2, next += 1)
      if (records[next] !== twoLetters(text, i, end)) return false
    return true
  }

  /** Adds a word that has no record, and returns where its record begins. Its index is `size - 1`. */
  add(text: string, start: number, end: number, hash: number): number {
    const at = this.#length
    this.#length += record.letters + Math.ceil((end - start) / 2)
    if (this.#length > this.records.length) this.records = grown(this.records, this.#length * 2)
    this.records[at + record.index] = this.size
    this.records[at + record.length] = end - start
    for (let i = start, next = at + record.letters; i < end; i += 2, next += 1)
      this.records[next] = twoLetters(text, i, end)
    this.size += 1
    this.#place(hash, at)
    return at
  }

  #place(hash: number, at: number): void {
    if (this.size * 4 > this.#slots.length) this.#enlarge()
    const mask = this.#slots.length / 2 - 1
    let slot = hash & mask
    while (this.#slots[slot * 2 + 1] !== 0) slot = (slot + 1) & mask
    this.#slots[slot * 2] = hash
    this.#slots[slot * 2 + 1] = at + 1
  }

  #enlarge(): void {
    const before = this.#slots
    this.#slots = new Int32Array(before.length * 4)
    const mask = this.#slots.length / 2 - 1
    for (let i = 0; i < before.length; i += 2) {
      if (before[i + 1] === 0) continue
      let slot = (before[i] as number) & mask
      while (this.#slots[slot * 2 + 1] !== 0) slot = (slot + 1) & mask
      this.#slots[slot * 2] = before[i] as number
      this.#slots[slot * 2 + 1] = before[i + 1] as number
    }
  }
}

/** Two UTF-16 units as one number; the second is 0 after the end. */
function twoLetters(text: string, at: number, end: number): number {
  const first = text.charCodeAt(at)
  return at + 1 < end ? first | (text.charCodeAt(at + 1) << 16) : first
}

function grown(from: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const to = new Int32Array(length)
  to.set(from)
  return to
}

/** V8 represents a slice of so many characters as a pointer into the text. */
const shortestPointer = 13

/** Copies a slice, because a pointer would keep the whole text in memory. */
export function detached(text: string, start: number, end: number): string {
  if (end - start < shortestPointer) return text.slice(start, end)
  const codes: number[] = []
  for (let i = start; i < end; i += 1) codes.push(text.charCodeAt(i))
  return String.fromCharCode(...codes)
}
