/** Maximum characters of text per document. */
export const maxText = 2_000_000

/** Thrown by the writer when it is full. The text written so far is kept. */
export class TextFull extends Error {
  override readonly name = 'TextFull'
}

const wordsAndBlanks = /[ \t\r\n\f]+|[^ \t\r\n\f]+/g
const blank = /^[ \t\r\n\f]/

/** Collects the text of a document. It collapses spaces and separates blocks by an empty line. */
export class TextWriter {
  readonly #most: number
  readonly #parts: string[] = []
  #length = 0
  /** The separator to write before the next word. */
  #separator = ''

  constructor(most = maxText) {
    this.#most = most
  }

  /** Adds text. Only spaces in `text` separate it from its neighbours. */
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

  /** Ends the page with a form feed, even if it is empty. */
  page(): void {
    this.#separator = ''
    this.#push('\f')
  }

  toString(): string {
    return this.#parts.join('')
  }

  /** Of several requested separators the longest one is written. */
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
