import { GrowingText } from '../../agent/growing-text.ts'
import type { OfferedSource } from '../../agent/tools.ts'
import {
  type Annotation,
  type CitedMarks,
  createCitedMarks,
  type NumberedSource,
} from './attribution/cited-marks.ts'
import { type BracketReading, readBrackets, readParentheses } from './quotations/marks.ts'

export type { Annotation, NumberedSource } from './attribution/cited-marks.ts'

/** Turns the marks of a streamed text into numbers. */
export type CitationRenderer = {
  /** @returns the visible text that is certain. Up to about 40 characters are held back. */
  push(delta: string): string
  /** @returns the text that was held back. A mark that is incomplete at the end of the reply is not shown. */
  end(): { readonly text: string }
  /** Records a source as cited although its mark is not in the text. Unknown marks are ignored. */
  mention(mark: string): void
  /** The sources, in order of first use. */
  cited(): readonly NumberedSource[]
  /** Marks that do not exist, such as `S9`, once per use. None of them is shown. */
  unknownMarks(): readonly string[]
  /** Positions of the numbers in all visible text so far. With `numbers: false` each is an empty range. */
  annotations(): readonly Annotation[]
  /** The unchanged text of the model. */
  raw(): string
}

/**
 * Replaces marks such as `[S1]` by `[1]`, and groups by `[1][2]`. Unknown marks are removed with the space before
 * them, and with parentheses or emphasis that contain nothing else. No other character changes. The result does not
 * depend on how the text is cut into deltas. `marks.ts` lists the forms.
 * @param find returns the passage offered under a mark such as `S1`.
 * @param options.links makes each number a Markdown link to its source, if that has a URL.
 * @param options.numbers `false` removes known marks too; they still count as cited.
 */
export function createCitationRenderer(
  find: (mark: string) => OfferedSource | undefined,
  options: { readonly numbers?: boolean; readonly links?: boolean } = {},
): CitationRenderer {
  const { numbers = true, links = false } = options
  const ledger = createCitedMarks(find, !numbers ? 'none' : links ? 'links' : 'numbers')
  const scanner = new Scanner(ledger, (mark) => find(mark) !== undefined)
  const raw = new GrowingText()
  return {
    push: (delta) => {
      raw.add(delta)
      let visible = ''
      for (let at = 0; at < delta.length; at += pieceLength)
        visible += scanner.advance(delta.slice(at, at + pieceLength), false)
      return visible
    },
    end: () => ({ text: scanner.advance('', true) }),
    mention: ledger.mention,
    cited: () => ledger.cited,
    unknownMarks: () => ledger.unknown,
    annotations: () => ledger.annotations,
    raw: () => raw.toString(),
  }
}

/** Each mark copies the held text, so long deltas are cut into pieces. */
const pieceLength = 500

type Marks = Extract<BracketReading, { kind: 'marks' }>

/**
 * A space and an opening character before a mark. They are removed if an unknown mark leaves nothing between them.
 */
const lead = /^([ \u00a0\t]?)(\(|\*{1,3}|_{1,3})?/
/**
 * Positions where a mark can begin. A space counts only if an opening character follows, or if the text ends there.
 */
const candidate = /[ \u00a0\t](?=[(*_[【]|$)|[(*_[【]/g

class Scanner {
  readonly #ledger: CitedMarks
  readonly #offered: (mark: string) => boolean
  #held = ''
  #skipBlank = false

  constructor(ledger: CitedMarks, offered: (mark: string) => boolean) {
    this.#ledger = ledger
    this.#offered = offered
  }

  advance(delta: string, final: boolean): string {
    this.#held += delta
    while (this.#held !== '') {
      if (this.#skipBlank && /^[ \u00a0\t]/.test(this.#held)) this.#held = this.#held.slice(1)
      this.#skipBlank = false
      candidate.lastIndex = 0
      const at = candidate.exec(this.#held)?.index ?? this.#held.length
      this.#show(at)
      if (this.#held !== '' && !this.#step(final)) break
    }
    return this.#ledger.take()
  }

  /** Shows the first characters of the held text. */
  #show(length: number): void {
    this.#ledger.show(this.#held.slice(0, length))
    this.#held = this.#held.slice(length)
  }

  /**
   * Processes the start of the held text.
   * @returns false if more text is needed.
   */
  #step(final: boolean): boolean {
    const [whole = '', blank = '', wrapper = ''] = lead.exec(this.#held) ?? []
    const body = this.#held.slice(whole.length)
    if (body === '' && !final) return false
    const round = wrapper === '(' && /^[Ss]/.test(body)
    const reading = round
      ? readParentheses(this.#held.slice(blank.length), this.#offered, final)
      : readBrackets(body, this.#offered, final)
    switch (reading.kind) {
      case 'open':
        // An incomplete mark at the end of the reply is useless to readers.
        if (final) this.#held = ''
        return final
      case 'text':
        this.#show(1)
        return true
      case 'worded':
        this.#ledger.show(whole + body.slice(0, 1))
        this.#held = this.#ledger.cite(reading.mark, '') ? reading.rest : reading.words
        return true
      case 'marks':
        return this.#settle(reading, blank, round ? '' : wrapper, final)
    }
  }

  #settle(reading: Marks, blank: string, wrapper: string, final: boolean): boolean {
    if (!reading.marks.some(this.#ledger.isShown)) return this.#vanish(reading, blank, wrapper, final)
    this.#ledger.show(blank + wrapper)
    for (const mark of reading.marks) this.#ledger.cite(mark, '[]')
    this.#held = reading.rest
    return true
  }

  /** Removes marks that are not shown, with the characters around them that would have no meaning. */
  #vanish({ marks, rest, more }: Marks, blank: string, wrapper: string, final: boolean): boolean {
    const close = wrapper === '(' ? ')' : wrapper
    const empty = rest.startsWith(close)
    if (!more && !empty && !final && close.startsWith(rest)) return false
    const startsLine = blank === '' && this.#ledger.atLineStart()
    for (const mark of marks) this.#ledger.cite(mark, '')
    if (more) {
      this.#held = blank + wrapper + rest
      return true
    }
    if (!empty) this.#ledger.show(blank + wrapper)
    this.#held = empty ? rest.slice(close.length) : rest
    this.#skipBlank = startsLine || !empty
    return true
  }
}
