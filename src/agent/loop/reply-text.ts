import { GrowingText } from '../growing-text.ts'
import { StorablePieces } from '../storable-text.ts'
import { withoutHalfPair } from './sliced-text.ts'

/** The text of one reply while it arrives: made storable and cut to a maximum length. */
export class ReplyText {
  readonly #pieces = new StorablePieces()
  readonly #text = new GrowingText()
  readonly #show: (piece: string, isFirst: boolean) => void
  #room: number

  /**
   * @param room maximum length in UTF-16 units.
   * @param show called with each piece that fits.
   */
  constructor(room: number, show: (piece: string, isFirst: boolean) => void) {
    this.#room = Math.max(room, 0)
    this.#show = show
  }

  /** @returns whether all of it fitted. Nothing may be added after it returned false. */
  add(said: string): boolean {
    return this.#take(this.#pieces.push(said))
  }

  /**
   * Adds text that was held back.
   * @returns whether it fitted.
   */
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
