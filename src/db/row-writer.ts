/**
 * Writes rows in the binary form of `COPY` (PostgreSQL documentation, "COPY", Binary Format) into a buffer that grows
 * as needed. The caller begins each row and then writes its values in the order of the columns.
 */
export class RowWriter {
  #buffer: Buffer
  length = 0

  /** @param bytes size at the beginning. */
  constructor(bytes: number) {
    this.#buffer = Buffer.allocUnsafe(bytes)
  }

  /** Returns the bytes so far and resets the writer. */
  take(): Buffer {
    const taken = Buffer.from(this.#buffer.subarray(0, this.length))
    this.length = 0
    return taken
  }

  raw(bytes: Buffer): void {
    this.#reserve(bytes.length)
    this.length += bytes.copy(this.#buffer, this.length)
  }

  /** Begins a row of so many columns. */
  begin(columns: number): void {
    this.#reserve(2)
    this.length = this.#buffer.writeInt16BE(columns, this.length)
  }

  int4(value: number): void {
    this.#reserve(8)
    this.length = this.#buffer.writeInt32BE(value, this.#buffer.writeInt32BE(4, this.length))
  }

  int8(value: number): void {
    this.#reserve(12)
    this.length = this.#buffer.writeBigInt64BE(BigInt(value), this.#buffer.writeInt32BE(8, this.length))
  }

  text(value: string): void {
    // UTF-8 needs at most three bytes per UTF-16 unit.
    this.#reserve(4 + value.length * 3)
    const at = this.length + 4
    this.#end(at + this.#buffer.write(value, at))
  }

  jsonb(value: string): void {
    this.#reserve(5 + value.length * 3)
    // The binary form begins with a version byte.
    const at = this.#buffer.writeInt8(1, this.length + 4)
    this.#end(at + this.#buffer.write(value, at))
  }

  /** A `bytea`, or a text that is UTF-8 already. */
  bytes(value: Buffer, from: number, to: number): void {
    this.#reserve(4 + to - from)
    const at = this.length + 4
    this.#end(at + value.copy(this.#buffer, at, from, to))
  }

  /** Writes the length of a value before it, and continues after it. */
  #end(end: number): void {
    this.#buffer.writeInt32BE(end - this.length - 4, this.length)
    this.length = end
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.length + bytes))
    this.#buffer.copy(larger, 0, 0, this.length)
    this.#buffer = larger
  }
}
