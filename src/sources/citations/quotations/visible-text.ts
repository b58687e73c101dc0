import { GrowingText } from '../../../agent/growing-text.ts'

const tailLength = 12

/**
 * The text that a filter lets through. Blanks are withheld until something visible follows, so that what is left out takes
 * the blank before it along and leaves no gap at the end.
 */
export class VisibleText {
  #ready = new GrowingText()
  /** Blanks before what was left out last, and blanks since. */
  #before = ''
  #space = ''
  #leftOut = false
  #tail = ''

  /** Whether anything was shown so far. */
  get isEmpty(): boolean {
    return this.#tail === ''
  }

  /** The last characters that were shown; empty when a blank follows them. */
  get joined(): string {
    return this.#space === '' && this.#before === '' ? this.#tail : ''
  }

  /** The last characters that were shown. */
  get tail(): string {
    return this.#tail
  }

  /** The blanks since the last visible character. */
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

  /** Something that stands here is not shown. */
  leaveOut(): void {
    this.#before = this.#leftOut ? wider(this.#before, this.#space) : this.#space
    this.#space = ''
    this.#leftOut = true
  }

  /** @returns what was shown since the last call. */
  take(): string {
    const text = this.#ready.toString()
    this.#ready = new GrowingText()
    return text
  }

  /** At the end of the text: blanks that close it stay, unless they belong to what was left out. */
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

/** Of the blanks on both sides of a gap one stays: that with more line breaks. */
function wider(before: string, after: string): string {
  if (before === '') return after
  return lines(after) > lines(before) ? after : before
}

function lines(blanks: string): number {
  return blanks.split('\n').length
}
