/** Length of a run of marks that opens a fenced block. */
const FENCE = 3

/**
 * Tells whether a place of Markdown lies in code, reading it character by character. An inline span ends at the latest
 * with its line, because an unmatched mark would otherwise turn the rest of a reply into code.
 */
export class CodeSpans {
  /** Length of the run that opened the inline span or the block, 0 outside both. */
  #opened = 0
  #openedBy = ''
  /** The run of marks that is being read. */
  #run = 0
  #mark = ''

  /** Whether the next character, which is no mark, lies in code. */
  get isInside(): boolean {
    this.#endRun()
    return this.#opened > 0
  }

  /** Reads text without marks and line ends. */
  skip(): void {
    if (this.#run > 0) this.#endRun()
  }

  read(character: string): void {
    if (character === '`' || character === '~') {
      if (character !== this.#mark) this.#endRun()
      this.#mark = character
      this.#run += 1
      return
    }
    this.skip()
    if (character === '\n' && this.#opened < FENCE) this.#opened = 0
  }

  #endRun(): void {
    const length = this.#run
    this.#run = 0
    // Shorter runs of `~` strike text through.
    if (length === 0 || (this.#mark === '~' && length < FENCE)) return
    if (this.#opened === 0) {
      this.#opened = length
      this.#openedBy = this.#mark
    } else if (this.#mark === this.#openedBy && this.#closes(length)) this.#opened = 0
  }

  #closes(length: number): boolean {
    return this.#opened < FENCE ? length === this.#opened : length >= this.#opened
  }
}
