/** Pieces that are joined together: few enough for a fast join, and enough to make joins rare. */
const together = 16

/**
 * A text that grows by many small pieces. Concatenating strings allocates an object per piece, which the
 * garbage collector would copy for thousands of slow streams.
 */
export class GrowingText {
  #text = ''
  #pieces: string[] = []
  #length = 0

  /** Length in UTF-16 units. */
  get length(): number {
    return this.#length
  }

  add(piece: string): void {
    if (piece === '') return
    this.#length += piece.length
    this.#pieces.push(piece)
    if (this.#pieces.length >= together) this.#join()
  }

  toString(): string {
    if (this.#pieces.length > 0) this.#join()
    return this.#text
  }

  #join(): void {
    this.#text += this.#pieces.join('')
    this.#pieces = []
  }
}
