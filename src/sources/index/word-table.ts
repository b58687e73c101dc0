import { scanHashedWords } from '../text/word-scanner.ts'

/**
 * Numbers the words of texts from 0, in order of their first occurrence: a hash table with open addressing (Knuth, "The
 * Art of Computer Programming" 3, section 6.4, algorithm L) in typed arrays. A word that occurred before costs one
 * look at its characters, and no object.
 */
export class WordTable {
  /** The numbers of the words of the text that was read last. Valid up to the result of `read`. */
  numbers = new Int32Array(1024)
  /** Number of different words. */
  size = 0
  /** Hash, and number + 1, of each slot. */
  #slots = new Int32Array(2 * 4096)
  /** Where the letters of each word begin. Those of word `n` end where those of word `n + 1` begin. */
  #starts = new Int32Array(4096)
  #letters = new Uint16Array(32_768)

  /**
   * Reads a text.
   * @param added receives each word that did not occur before. Its number is `size - 1`.
   * @returns the number of words of the text, which are in `numbers`.
   */
  read(text: string, added: (word: string) => void): number {
    let count = 0
    scanHashedWords(text, (start, end, hash) => {
      let number = this.#find(text, start, end, hash)
      if (number < 0) {
        number = this.#add(text, start, end, hash)
        added(detached(text, start, end))
      }
      if (count === this.numbers.length) this.numbers = grown(this.numbers, new Int32Array(count * 2))
      this.numbers[count] = number
      count += 1
    })
    return count
  }

  #find(text: string, start: number, end: number, hash: number): number {
    const slots = this.#slots
    const mask = slots.length / 2 - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot * 2 + 1] as number
      if (entry === 0) return -1
      if (slots[slot * 2] === hash && this.#isWord(entry - 1, text, start, end)) return entry - 1
    }
  }

  #isWord(number: number, text: string, start: number, end: number): boolean {
    const letters = this.#letters
    let at = this.#starts[number] as number
    if ((this.#starts[number + 1] as number) - at !== end - start) return false
    for (let i = start; i < end; i += 1, at += 1) if (letters[at] !== text.charCodeAt(i)) return false
    return true
  }

  #add(text: string, start: number, end: number, hash: number): number {
    const number = this.size
    this.size += 1
    let at = this.#starts[number] as number
    if (number + 2 > this.#starts.length) this.#starts = grown(this.#starts, new Int32Array(number * 2))
    if (at + end - start > this.#letters.length)
      this.#letters = grown(this.#letters, new Uint16Array((at + end - start) * 2))
    for (let i = start; i < end; i += 1, at += 1) this.#letters[at] = text.charCodeAt(i)
    this.#starts[number + 1] = at
    this.#place(hash, number)
    return number
  }

  #place(hash: number, number: number): void {
    if (this.size * 4 > this.#slots.length) this.#enlarge()
    const mask = this.#slots.length / 2 - 1
    let slot = hash & mask
    while (this.#slots[slot * 2 + 1] !== 0) slot = (slot + 1) & mask
    this.#slots[slot * 2] = hash
    this.#slots[slot * 2 + 1] = number + 1
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

function grown<T extends Int32Array | Uint16Array>(from: T, to: T): T {
  to.set(from)
  return to
}

const shortestPointer = 13

/**
 * Copies a slice. V8 represents a slice of 13 or more characters as a pointer into the text, which would stay in
 * memory.
 */
function detached(text: string, start: number, end: number): string {
  if (end - start < shortestPointer) return text.slice(start, end)
  const codes: number[] = []
  for (let i = start; i < end; i += 1) codes.push(text.charCodeAt(i))
  return String.fromCharCode(...codes)
}
