import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { GrowingText } from '../growing-text.ts'
import { StorablePieces } from '../storable-text.ts'

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

/** Maximum text that is passed on before the event loop runs, in UTF-16 units. It is rendered in some milliseconds. */
const sliceLength = 4_096

/**
 * Passes texts on in their order. A long text goes on in slices, so that other requests do not wait until all of it is
 * rendered.
 */
export class SlicedText {
  readonly #signal: AbortSignal
  readonly #show: (text: string) => void
  #waiting = ''
  #showing: Promise<void> | undefined

  /** @param signal once it is aborted, the text that waits is never shown. */
  constructor(signal: AbortSignal, show: (text: string) => void) {
    this.#signal = signal
    this.#show = show
  }

  /** Whether no text waits. */
  get isComplete(): boolean {
    return this.#waiting === ''
  }

  /** @param text without halves of surrogate pairs. */
  add(text: string): void {
    if (this.#showing === undefined && text.length <= sliceLength) {
      this.#show(text)
      return
    }
    this.#waiting += text
    if (this.#showing !== undefined) return
    this.#showing = this.#showInSlices()
    // `end` reports the error.
    this.#showing.catch(() => undefined)
  }

  /**
   * Resolves when all text is shown, or after the abort.
   * @throws what the listener throws.
   */
  async end(): Promise<void> {
    await this.#showing
  }

  async #showInSlices(): Promise<void> {
    while (true) {
      const slice = withoutHalfPair(this.#waiting.slice(0, sliceLength))
      this.#waiting = this.#waiting.slice(slice.length)
      this.#show(slice)
      if (this.isComplete) break
      await turnOfTheLoop()
      if (this.#signal.aborted) return
    }
    this.#showing = undefined
  }
}

/** The cut may have split a surrogate pair. */
export function withoutHalfPair(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1)
}
