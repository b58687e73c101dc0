import { TextWords } from './text-words.ts'

/** Numbers of a record before its letters. `bits` and `value` are the caller's. */
export const record = { hash: 0, length: 1, bits: 2, value: 3, letters: 4 } as const

/**
 * Finds the words of texts: a hash table with open addressing (Knuth, "The Art of Computer Programming" 3, section 6.4,
 * algorithm L) in typed arrays. A word that occurred before costs one look at its letters, and no object. All that
 * is kept of a word is one record, because each further place in memory costs as much as reading the word.
 */
export class WordTable {
  /** The records of the words: `record` names their numbers. Valid until the next word is added. */
  records = new Int32Array(65_536)
  /** Where the records of the words of the text begin that was read last. */
  words = new Int32Array(256)
  /** Number of different words. */
  size = 0
  /** Where a record begins, or 0. */
  #slots = new Int32Array(4096)
  #end = firstRecord
  readonly #text = new TextWords()
  /** Written only: it makes the compiler keep the reads of `#fetch`. */
  fetched = 0

  /**
   * Reads a text.
   * @param added receives each word that did not occur before, with its new record.
   * @returns the number of words of the text, which are in `words`.
   */
  read(text: string, added: (word: string, at: number) => void): number {
    const found = this.#text
    found.read(text)
    const { count, starts, ends } = found
    if (count > this.words.length) this.words = new Int32Array(count * 2)
    const { words } = this
    this.#fetch(count)
    for (let i = 0; i < count; i += 1) {
      const known = this.find(found, i)
      const at = known === 0 ? this.add(found, i) : known
      words[i] = at
      if (known === 0) added(detached(text, starts[i] as number, ends[i] as number), at)
    }
    return count
  }

  /**
   * Reads the places that `find` will need. Processors wait for such independent reads together, but for those of `find`
   * one after the other, because each word is compared first. With 300,000 words this takes half of the time.
   */
  #fetch(count: number): void {
    const { words, records } = this
    const { hashes } = this.#text
    const slots = this.#slots
    const mask = slots.length - 1
    for (let i = 0; i < count; i += 1) words[i] = slots[(hashes[i] as number) & mask] as number
    let sum = 0
    for (let i = 0; i < count; i += 1) sum ^= records[words[i] as number] as number
    this.fetched = sum
  }

  /** Where the record of a word of a text begins; 0 if it has none. */
  find({ units, starts, ends, hashes }: TextWords, word: number): number {
    const hash = hashes[word] as number
    const { records } = this
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = slots[slot] as number
      if (at === 0) return 0
      if (records[at] !== hash) continue
      if (this.#isWord(at, units, starts[word] as number, ends[word] as number)) return at
    }
  }

  #isWord(at: number, units: Uint16Array, start: number, end: number): boolean {
    const { records } = this
    if (records[at + record.length] !== end - start) return false
    for (let i = start, next = at + record.letters; i < end; i += 2, next += 1)
      if (records[next] !== twoLetters(units, i, end)) return false
    return true
  }

  /** Adds a word that has no record, and returns where its record begins. */
  add({ units, starts, ends, hashes }: TextWords, word: number): number {
    const start = starts[word] as number
    const end = ends[word] as number
    const at = this.#end
    this.#end += sizeOf(end - start)
    if (this.#end > this.records.length) this.records = grown(this.records, this.#end * 2)
    const { records } = this
    records[at + record.hash] = hashes[word] as number
    records[at + record.length] = end - start
    for (let i = start, next = at + record.letters; i < end; i += 2, next += 1)
      records[next] = twoLetters(units, i, end)
    this.size += 1
    if (this.size * 2 > this.#slots.length) this.#enlarge()
    else this.#place(at)
    return at
  }

  #place(at: number): void {
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = (this.records[at + record.hash] as number) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = at
  }

  #enlarge(): void {
    this.#slots = new Int32Array(this.#slots.length * 4)
    for (let at = firstRecord; at < this.#end; at += sizeOf(this.records[at + record.length] as number))
      this.#place(at)
  }
}

/** The slot of a word that is not there has 0. */
const firstRecord = 1

/** Numbers of the record of a word with so many letters. */
const sizeOf = (letters: number): number => record.letters + ((letters + 1) >> 1)

/** Two UTF-16 units as one number; the second is 0 after the end. */
function twoLetters(units: Uint16Array, at: number, end: number): number {
  const first = units[at] as number
  return at + 1 < end ? first | ((units[at + 1] as number) << 16) : first
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
