import { GrowingText } from '../growing-text.ts'
import { StorablePieces } from '../storable-text.ts'

/** The text of one reply as it comes: made storable, and cut at a length. */
export class HeardText {
  readonly #pieces = new StorablePieces()
  readonly #text = new GrowingText()
  readonly #show: (piece: string, isFirst: boolean) => void
  #room: number

  /** @param room what fits, in UTF-16 units. @param show called with each piece that fits. */
  constructor(room: number, show: (piece: string, isFirst: boolean) => void) {
    this.#room = Math.max(room, 0)
    this.#show = show
  }

  /** @returns whether all of it fitted; nothing may be added after the first that did not. */
  add(said: string): boolean {
    return this.#take(this.#pieces.push(said))
  }

  /** Shows what was held back, unless the text was cut before. @returns whether it fitted. */
  end(): boolean {
    return this.#take(this.#pieces.rest())
  }

  toString(): string {
    return this.#text.toString()
  }

  #take(text: string): boolean {
    const fits = text.length <= this.#room
    const piece = fits ? text : withoutHalfPair(text.slice(0, this.#room))
    this.#room = fits ? this.#room - text.length : 0
    if (piece !== '') {
      this.#show(piece, this.#text.length === 0)
      this.#text.add(piece)
    }
    return fits
  }
}

/** A cut can come between the two halves of a character. */
function withoutHalfPair(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1)
}
