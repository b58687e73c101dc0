import type { DocumentRanges } from '../index/document-ranges.ts'
import { openKernel } from './kernel.ts'
import { paddedDims, type QuantizedVector } from './quantize.ts'
import { TopList } from './top-list.ts'

/** Vectors compared by one call of the kernel: their results stay in the processor's first cache. */
const strip = 2_048

/**
 * Vectors of one model in memory, ascending by document, and the exact search among them. One byte a dimension: 220,000
 * vectors of 384 dimensions take 84 MB. Not for the main thread: a search holds its thread for some 10 ms.
 */
export class VectorScan {
  readonly #dims: number
  readonly #kernel = openKernel()
  readonly #query = 0
  readonly #out: number
  readonly #vectors: number
  #documents = new Int32Array(1_024)
  #scales = new Float32Array(1_024)
  count = 0

  /** @param dims of the model. */
  constructor(dims: number) {
    this.#dims = paddedDims(dims)
    this.#out = this.#dims
    this.#vectors = this.#out + strip * 4
  }

  /** Adds the next vector. @param components as `quantize` gives them. @throws RangeError out of order or of another length. */
  add(document: number, scale: number, components: Uint8Array | Int8Array): void {
    if (components.length !== this.#dims)
      throw new RangeError(`${components.length} components, not ${this.#dims}`)
    if (this.count > 0 && document <= (this.#documents[this.count - 1] ?? 0))
      throw new RangeError('out of order')
    this.#reserve()
    new Uint8Array(this.#kernel.memory.buffer).set(components, this.#vectors + this.count * this.#dims)
    this.#documents[this.count] = document
    this.#scales[this.count] = scale
    this.count += 1
  }

  /** At most `size` documents, evenly spread, and the highest document. */
  sample(size: number): { readonly sample: readonly number[]; readonly last: number } {
    const step = Math.max(1, Math.floor(this.count / size))
    const sample = Array.from(
      { length: Math.min(size, this.count) },
      (_, i) => this.#documents[i * step] ?? 0,
    )
    return { sample, last: this.#documents[this.count - 1] ?? 0 }
  }

  /** The documents with the highest cosine, highest first; of equal ones the lower number first. */
  nearest(query: QuantizedVector, ranges: DocumentRanges | undefined, limit: number): readonly number[] {
    if (query.components.length !== this.#dims || limit < 1) return []
    new Int8Array(this.#kernel.memory.buffer).set(query.components, this.#query)
    const top = new TopList(limit)
    if (!ranges) this.#compare(0, this.count, top)
    else for (const [first, last] of ranges) this.#compare(this.#placeOf(first), this.#placeOf(last + 1), top)
    return top.sorted()
  }

  #compare(from: number, to: number, top: TopList): void {
    for (let start = from; start < to; start += strip) {
      const count = Math.min(strip, to - start)
      this.#kernel.dots(this.#query, this.#vectors + start * this.#dims, count, this.#dims, this.#out)
      const dots = new Int32Array(this.#kernel.memory.buffer, this.#out, count)
      for (let i = 0; i < count; i += 1) {
        top.offer((dots[i] ?? 0) * (this.#scales[start + i] ?? 0), this.#documents[start + i] ?? 0)
      }
    }
  }

  /** The place of the first document that is not below this number. */
  #placeOf(document: number): number {
    let [low, high] = [0, this.count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#documents[middle] ?? 0) < document) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Room for one more, a quarter more at least: growing a memory copies it. */
  #reserve(): void {
    const used = this.#vectors + (this.count + 1) * this.#dims
    const { byteLength } = this.#kernel.memory.buffer
    if (used > byteLength) this.#kernel.grow(Math.max(used, byteLength * 1.25))
    if (this.count < this.#documents.length) return
    const documents = new Int32Array(this.#documents.length * 2)
    const scales = new Float32Array(this.#scales.length * 2)
    documents.set(this.#documents)
    scales.set(this.#scales)
    this.#documents = documents
    this.#scales = scales
  }
}
