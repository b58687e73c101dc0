/** One row of `copy (select doc_id, scale, components …) to stdout (format binary)`. */
export type CopiedVector = {
  readonly document: number
  readonly scale: number
  readonly components: Uint8Array
}

/** PostgreSQL documentation, "COPY", Binary Format: signature of 11 bytes, flags and extension length of 4 each. */
const headerBytes = 19

/** Three lengths of 4 bytes, an int4 and a float4, before the components. */
const fixedBytes = 2 + 4 + 4 + 4 + 4 + 4

/** Reads rows from a binary COPY, whose chunks may end anywhere. */
export class CopiedRows {
  #rest: Buffer = Buffer.alloc(0)
  #isBegun = false

  /** The rows that this chunk completes. Their components are views into it. */
  read(chunk: Uint8Array): readonly CopiedVector[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const rows: CopiedVector[] = []
    let at = 0
    if (!this.#isBegun && data.length >= headerBytes) {
      this.#isBegun = true
      at = headerBytes
    }
    while (this.#isBegun && at + fixedBytes <= data.length && data.readInt16BE(at) !== -1) {
      const length = data.readInt32BE(at + fixedBytes - 4)
      const end = at + fixedBytes + length
      if (end > data.length) break
      rows.push({
        document: data.readInt32BE(at + 6),
        scale: data.readFloatBE(at + 14),
        components: data.subarray(at + fixedBytes, end),
      })
      at = end
    }
    this.#rest = Buffer.from(data.subarray(at))
    return rows
  }
}
