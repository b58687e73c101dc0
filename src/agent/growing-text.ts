/** So many pieces are made one text: few enough to be made at once, many enough that it is seldom. */
const together = 16

/**
 * A text that comes in many small pieces. Adding strings to one another leaves an object behind for each piece, which is
 * what the collector then copies for thousands of slow streams.
 */
export class GrowingText {
  #text = ''
  #pieces: string[] = []
  #length = 0

  /** In UTF-16 units. */
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
