/** Characters of text that are taken out of one document. */
export const maxText = 2_000_000

/** Thrown by the writer when it is full: what has been written by then is the text. */
export class TextFull extends Error {
  override readonly name = 'TextFull'
}

const wordsAndBlanks = /[ \t\r\n\f]+|[^ \t\r\n\f]+/g
const blank = /^[ \t\r\n\f]/

/** Collects the text of a document: runs of blanks become one, blocks are parted by an empty line. */
export class TextWriter {
  readonly #most: number
  readonly #parts: string[] = []
  #length = 0
  /** What is due before the next word. */
  #separator = ''

  constructor(most = maxText) {
    this.#most = most
  }

  /** Adds words. They part from their neighbours by the blanks that are in `text` alone. */
  text(text: string): void {
    for (const [run] of text.matchAll(wordsAndBlanks)) {
      if (blank.test(run)) this.#due(' ')
      else this.#word(run)
    }
  }

  /** Ends the line. */
  line(): void {
    this.#due('\n')
  }

  /** Ends the block. */
  block(): void {
    this.#due('\n\n')
  }

  /** Ends the page: a form feed stands behind each one, empty ones too. */
  page(): void {
    this.#separator = ''
    this.#push('\f')
  }

  toString(): string {
    return this.#parts.join('')
  }

  /** The longest separator that is asked for stands. */
  #due(separator: string): void {
    const newline = separator.includes('\n') && !this.#separator.includes('\n')
    if (newline || (separator.length > this.#separator.length && separator !== ' '))
      this.#separator = separator
    else if (this.#separator === '') this.#separator = separator
  }

  #word(word: string): void {
    const atStart = this.#parts.length === 0 || this.#parts.at(-1) === '\f'
    if (this.#separator !== '' && !atStart) this.#push(this.#separator)
    this.#separator = ''
    this.#push(word)
  }

  #push(text: string): void {
    this.#length += text.length
    if (this.#length > this.#most) throw new TextFull()
    this.#parts.push(text)
  }
}
