import { after, endOfWord, isDash, kinds, letter, other } from './word-scanner.ts'

const fnvBasis = 0x811c9dc5
const fnvPrime = 0x01000193

/** Longer texts get arrays of their own, which the next text frees. */
const keptUnits = 65_536

/** The words of one text after the other. The arrays are used again: what they have is valid until the next `read`. */
export class TextWords {
  /** The UTF-16 units of the text. Reading them takes half the time of reading a string. */
  units = new Uint16Array(0)
  /** Where each word starts and ends in the text. */
  starts = new Int32Array(256)
  ends = new Int32Array(256)
  /** The FNV-1a hash of the units of each word. Tables use the low bits only, so the high bits are mixed in. */
  hashes = new Int32Array(256)
  count = 0
  #bytes = Buffer.alloc(0)

  /** Finds the words of a text, in order. */
  read(text: string): void {
    this.#copy(text)
    this.count = 0
    const { units } = this
    const { length } = text
    let at = 0
    while (at < length) {
      let unit = units[at] as number
      let kind = kinds[unit]
      if (kind === other) {
        at += 1
        continue
      }
      const start = at
      let hash = fnvBasis
      while (kind === letter) {
        hash = Math.imul(hash ^ unit, fnvPrime)
        at += 1
        if (at === length) break
        unit = units[at] as number
        kind = kinds[unit]
      }
      const isWhole = at > start && (at === length || (kind === other && !isDash(unit)))
      if (isWhole) this.#add(start, at, hash)
      else at = this.#readOdd(text, start)
    }
  }

  #copy(text: string): void {
    const isLarge = this.units.length > keptUnits
    if (text.length > this.units.length || (isLarge && text.length <= keptUnits)) {
      this.units = new Uint16Array(Math.max(keptUnits, text.length))
      this.#bytes = Buffer.from(this.units.buffer)
    }
    this.#bytes.write(text, 'utf16le')
  }

  /** Looks at `at` for a word with marks, quotation marks or hyphens, and returns where the next one may begin. */
  #readOdd(text: string, at: number): number {
    const end = endOfWord(text, at)
    if (end === undefined) return after(text, at)
    let hash = fnvBasis
    for (let i = at; i < end; i += 1) hash = Math.imul(hash ^ (this.units[i] as number), fnvPrime)
    this.#add(at, end, hash)
    return end
  }

  #add(start: number, end: number, hash: number): void {
    const { count } = this
    if (count === this.starts.length) this.#enlarge()
    this.starts[count] = start
    this.ends[count] = end
    this.hashes[count] = hash ^ (hash >>> 15)
    this.count = count + 1
  }

  #enlarge(): void {
    this.starts = enlarged(this.starts)
    this.ends = enlarged(this.ends)
    this.hashes = enlarged(this.hashes)
  }
}

function enlarged(from: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const to = new Int32Array(from.length * 2)
  to.set(from)
  return to
}
