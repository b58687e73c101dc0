/**
 * Binary format of the inverted index: four bytes per posting, little-endian, sorted by document. A posting has the
 * document within its block (16 bits), the frequency of the term (8) and the length class of the document (8). So a
 * score needs only the posting. The fixed width lets a writer append, and a reader use the bytes without decoding.
 */

export const blockSize = 65_536
export const postingBytes = 4

export function blockOf(doc: number): number {
  return Math.floor(doc / blockSize)
}

/** The blocks that contain these document ranges (both ends inclusive). */
export function blocksIn(ranges: readonly (readonly [first: number, last: number])[]): readonly number[] {
  const blocks = new Set<number>()
  for (const [first, last] of ranges) {
    for (let block = blockOf(first); block <= blockOf(last); block += 1) blocks.add(block)
  }
  return [...blocks]
}

/** Lengths up to this number of words are stored exactly, longer ones to within 2.5 %. */
const exactLengths = 128
const lengthStep = 1.05

/** The length class (0 to 255) of a length in words. */
export function lengthClass(words: number): number {
  if (words < exactLengths) return words
  return Math.min(255, exactLengths + Math.round(Math.log(words / exactLengths) / Math.log(lengthStep)))
}

/** The length in words that each class represents. */
export const classLengths: Float64Array = Float64Array.from({ length: 256 }, (_, c) =>
  c < exactLengths ? c : exactLengths * lengthStep ** (c - exactLengths),
)

/** The highest frequency that a posting can have. */
export const maxFrequency = 255

export function packPosting(local: number, frequency: number, length: number): number {
  return (local | (Math.min(maxFrequency, frequency) << 16) | (lengthClass(length) << 24)) >>> 0
}

/** The postings in `data`, as unsigned 32-bit numbers made by `packPosting`. */
export function readPostings(data: Buffer): Uint32Array {
  if (data.byteOffset % postingBytes === 0) {
    return new Uint32Array(data.buffer, data.byteOffset, data.length / postingBytes)
  }
  const copy = new Uint8Array(data)
  return new Uint32Array(copy.buffer)
}

/** Removes the postings of documents `from` to `to` (both inclusive, numbers within the block). */
export function withoutDocuments(postings: Uint32Array, from: number, to: number): Uint32Array {
  return postings.filter((posting) => {
    const local = posting & 0xffff
    return local < from || local > to
  })
}
