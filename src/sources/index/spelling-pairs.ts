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

/** Sizes of a part: some 10,000 pairs fill its bytes. */
const partBytes = 262_144
const partPairs = 16_384

/** Some of the pairs. Parts are never enlarged, because copies would double the memory of an index flush. */
class Part {
  readonly bytes: Buffer
  readonly buckets = new Uint16Array(partPairs)
  /** Where each pair ends. */
  readonly ends = new Uint32Array(partPairs)
  count = 0
  length = 0

  constructor(bytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(bytes)
  }

  add(bucket: number, name: string, term: string): void {
    this.length += this.bytes.write(`${name}\t${term}\n`, this.length)
    this.buckets[this.count] = bucket
    this.ends[this.count] = this.length
    this.count += 1
  }
}

/** Collects pairs of a class and a term as UTF-8, one a line with a tab between, and groups the lines by bucket. */
export class PairBuckets {
  readonly #parts: Part[] = []
  #last: Part | undefined
  #length = 0

  add(name: string, term: string): void {
    // UTF-8 needs at most three bytes per UTF-16 unit.
    const most = (name.length + term.length) * 3 + 2
    let part = this.#last
    if (!part || part.count === partPairs || part.length + most > part.bytes.length) {
      part = new Part(Math.max(partBytes, most))
      this.#parts.push(part)
      this.#last = part
    }
    const before = part.length
    part.add(bucketOf(name), name, term)
    this.#length += part.length - before
  }

  /** The lines of each bucket that has any, in ascending order of buckets: a counting sort. */
  rows(): readonly { readonly bucket: number; readonly pairs: Buffer }[] {
    const ends = new Uint32Array(buckets)
    this.#eachPair((bucket, _, from, to) => {
      ends[bucket] = (ends[bucket] as number) + to - from
    })
    const rows: { readonly bucket: number; readonly pairs: Buffer }[] = []
    const sorted = Buffer.allocUnsafeSlow(this.#length)
    let sum = 0
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      const size = ends[bucket] as number
      if (size > 0) rows.push({ bucket, pairs: sorted.subarray(sum, sum + size) })
      ends[bucket] = sum
      sum += size
    }
    this.#eachPair((bucket, bytes, from, to) => {
      let at = ends[bucket] as number
      for (let i = from; i < to; i += 1, at += 1) sorted[at] = bytes[i] as number
      ends[bucket] = at
    })
    return rows
  }

  #eachPair(found: (bucket: number, bytes: Buffer, from: number, to: number) => void): void {
    for (const { bytes, buckets: ofPairs, ends, count } of this.#parts)
      for (let i = 0, from = 0; i < count; i += 1) {
        const to = ends[i] as number
        found(ofPairs[i] as number, bytes, from, to)
        from = to
      }
  }
}
