import { writeUtf8 } from '../../db/row-writer.ts'

/** Number of buckets, as in the migration that made them. A row then has some fifty pairs of a full block, or 1 KB. */
const buckets = 16_384
const bucketMask = buckets - 1

/** Letters of a class that decide its bucket, and the factor of each further letter. */
const hashedLetters = 16
const factor = 31

/**
 * The bucket of a spelling or inflection class: the sum of its code points, each times a power of 31. SQL computes the
 * same in the migration of older libraries.
 */
export function bucketOf(name: string): number {
  let sum = 0
  let weight = factor
  for (let at = 0, letters = 0; at < name.length && letters < hashedLetters; letters += 1) {
    const code = name.codePointAt(at) ?? 0
    sum = (sum + Math.imul(code, weight)) & bucketMask
    weight = Math.imul(weight, factor) & bucketMask
    at += code > 0xffff ? 2 : 1
  }
  return sum
}

/** Collects pairs of a class and a term as UTF-8, one a line with a tab between, and groups the lines by bucket. */
export class PairBuckets {
  #bytes = Buffer.allocUnsafe(65_536)
  #length = 0
  readonly #buckets: number[] = []
  /** Where each pair ends. */
  readonly #ends: number[] = []

  add(name: string, term: string): void {
    // UTF-8 needs at most three bytes per UTF-16 unit.
    const most = (name.length + term.length) * 3 + 2
    if (this.#length + most > this.#bytes.length) this.#enlarge(most)
    this.#text(name)
    this.#bytes[this.#length] = tab
    this.#length += 1
    this.#text(term)
    this.#bytes[this.#length] = newline
    this.#length += 1
    this.#buckets.push(bucketOf(name))
    this.#ends.push(this.#length)
  }

  /** The lines of each bucket that has any, in ascending order of buckets: a counting sort. */
  rows(): readonly { readonly bucket: number; readonly pairs: Buffer }[] {
    const ends = new Uint32Array(buckets)
    this.#eachPair((bucket, from, to) => {
      ends[bucket] = (ends[bucket] as number) + to - from
    })
    const rows: { readonly bucket: number; readonly pairs: Buffer }[] = []
    const sorted = Buffer.allocUnsafe(this.#length)
    let sum = 0
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      const size = ends[bucket] as number
      if (size > 0) rows.push({ bucket, pairs: sorted.subarray(sum, sum + size) })
      ends[bucket] = sum
      sum += size
    }
    this.#eachPair((bucket, from, to) => {
      let at = ends[bucket] as number
      for (let i = from; i < to; i += 1, at += 1) sorted[at] = this.#bytes[i] as number
      ends[bucket] = at
    })
    return rows
  }

  #eachPair(found: (bucket: number, from: number, to: number) => void): void {
    for (let i = 0; i < this.#ends.length; i += 1)
      found(this.#buckets[i] as number, i === 0 ? 0 : (this.#ends[i - 1] as number), this.#ends[i] as number)
  }

  #text(text: string): void {
    this.#length = writeUtf8(this.#bytes, this.#length, text)
  }

  #enlarge(more: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

const tab = 0x09
const newline = 0x0a
