import { isSilent } from './names/sounds.ts'

const bits = 2 ** 17
const mask = bits - 1
const prime = 0x01000193

/**
 * Tells of most words that they are not in a set, without making a string (Bloom, 1970, "Space/time trade-offs in hash
 * coding with allowable errors", with one hash). An import asks for several forms of each new word.
 */
export class WordFilter {
  readonly #bits = new Uint32Array(bits / 32)

  constructor(words: Iterable<string>) {
    for (const word of words) {
      const slot = slotOf(word, 0)
      this.#bits[slot >> 5] = (this.#bits[slot >> 5] as number) | (1 << (slot & 31))
    }
  }

  /** False if the set does not have the word without its first `from` letters. */
  mayHave(word: string, from = 0): boolean {
    return this.#isSet(slotOf(word, from))
  }

  /** False if the set does not have the sound of the Hebrew word without its first `from` letters. */
  mayHaveSound(word: string, from = 0): boolean {
    const last = word.length - 1
    let hash = 0
    let count = 0
    for (let i = from; i <= last; i += 1) {
      if (i > from && i < last && isSilent(word, i)) continue
      hash = Math.imul(hash ^ word.charCodeAt(i), prime)
      count += 1
    }
    // Sounds of two letters are the words themselves.
    return this.#isSet(count > 2 ? (hash ^ (hash >>> 15)) & mask : slotOf(word, from))
  }

  #isSet(slot: number): boolean {
    return (((this.#bits[slot >> 5] as number) >>> (slot & 31)) & 1) === 1
  }
}

function slotOf(word: string, from: number): number {
  let hash = 0
  for (let i = from; i < word.length; i += 1) hash = Math.imul(hash ^ word.charCodeAt(i), prime)
  return (hash ^ (hash >>> 15)) & mask
}
