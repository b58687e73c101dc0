import { type Block, splitBlocks } from './blocks.ts'
import { withUsualMarks } from './usual-marks.ts'

/** A text without any of these characters contains no quotation. */
const mayQuote = /["'“”„«»‘’‹›״׳<>*_]|^[ \t]{0,3}:[ \t]/mu

/** A text with what the steps of the verification read of it. Each part is made once, on first use. */
export class Doc {
  readonly text: string
  #blocks: readonly Block[] | undefined
  #usual: string | undefined

  constructor(text: string) {
    this.text = text
  }

  static of(text: string | Doc): Doc {
    return typeof text === 'string' ? new Doc(text) : text
  }

  get blocks(): readonly Block[] {
    this.#blocks ??= splitBlocks(this.text)
    return this.#blocks
  }

  /** The text with usual quotation marks in place of rare ones, at the same offsets. */
  get usual(): string {
    this.#usual ??= withUsualMarks(this.text, () => this.blocks)
    return this.#usual
  }

  /** Whether the text has any character that begins a quotation. */
  get mayQuote(): boolean {
    return mayQuote.test(this.usual)
  }
}
