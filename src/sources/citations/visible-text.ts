import { GrowingText } from '../../agent/growing-text.ts'

const tailLength = 12

/** The text that a filter lets through. Spaces are held back, so that removed text also removes the space before it. */
export class VisibleText {
  #ready = new GrowingText()
  /** Spaces before the last removed text, and spaces after it. */
  #before = ''
  #space = ''
  #leftOut = false
  #tail = ''

  /** Whether any text has been shown. */
  get isEmpty(): boolean {
    return this.#tail === ''
  }

  /** The last characters shown; empty when a space follows them. */
  get joined(): string {
    return this.#space === '' && this.#before === '' ? this.#tail : ''
  }

  /** The last characters that were shown. */
  get tail(): string {
    return this.#tail
  }

  /** Spaces after the last visible character. */
  get space(): string {
    return this.#space
  }

  addSpace(blanks: string): void {
    this.#space += blanks
  }

  show(text: string): void {
    if (text === '') return
    const space = this.#leftOut ? this.#closedGap(text) : this.#space
    this.#ready.add(space + text)
    this.#tail = (this.#tail + space + text).slice(-tailLength)
    this.#before = ''
    this.#space = ''
    this.#leftOut = false
  }

  /** Records that text at this position is removed. */
  leaveOut(): void {
    this.#before = this.#leftOut ? wider(this.#before, this.#space) : this.#space
    this.#space = ''
    this.#leftOut = true
  }

  /** @returns the text shown since the last call. */
  take(): string {
    const text = this.#ready.toString()
    this.#ready = new GrowingText()
    return text
  }

  /** Ends the text. Trailing spaces stay unless they belong to removed text. */
  close(): void {
    if (this.#leftOut || this.#space === '') return
    this.#ready.add(this.#space)
    this.#space = ''
  }

  #closedGap(text: string): string {
    if (this.#tail === '') return ''
    const space = wider(this.#before, this.#space)
    return /^[.,;:!?)\]}”"»]/.test(text) && !space.includes('\n') ? '' : space
  }
}

/** Keeps one of the two spaces around removed text: the one with more line breaks. */
function wider(before: string, after: string): string {
  if (before === '') return after
  return lines(after) > lines(before) ? after : before
}

function lines(blanks: string): number {
  return blanks.split('\n').length
}
