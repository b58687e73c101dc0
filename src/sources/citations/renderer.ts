import { GrowingText } from '../../agent/growing-text.ts'
import type { OfferedSource } from '../../agent/tools.ts'
import { type Annotation, type Cited, type CitedMarks, createCitedMarks } from './attribution/cited-marks.ts'
import { type Reading, readBrackets, readParentheses } from './quotations/marks.ts'

export type { Annotation, Cited } from './attribution/cited-marks.ts'

/** Turns the marks of a text that arrives in pieces into numbers. */
export type CitationRenderer = {
  /** @returns the visible text that is certain by now; up to about 40 characters may be held back. */
  push(delta: string): string
  /** @returns what was held back. A mark that the end of the reply cut through is not shown. */
  end(): { readonly text: string }
  /** Counts a known mark as cited that does not stand in the text; others are passed over. */
  mention(mark: string): void
  /** The sources in order of first use. */
  cited(): readonly Cited[]
  /** Marks that were never offered, as `S9`, once for each time they were written. None of them was shown. */
  unknownMarks(): readonly string[]
  /** Where the numbers stand in all visible text so far; a vanished mark (`numbers: false`) is an empty range. */
  annotations(): readonly Annotation[]
  /** The model's text as written. */
  raw(): string
}

/**
 * Marks such as `[S1]` become `[1]`, and groups `[1][2]`; marks never offered go together with the blank before them,
 * and with parentheses or emphasis around nothing else. No other character of the text is changed, and the way the
 * text is cut into deltas does not show. For the forms that are read see `marks.ts`.
 *
 * @param find the passage offered under a mark such as `S1`.
 * @param options.numbers `false` makes known marks vanish as unknown ones do; they still count as cited.
 */
export function createCitationRenderer(
  find: (mark: string) => OfferedSource | undefined,
  options: { readonly numbers?: boolean } = {},
): CitationRenderer {
  const ledger = createCitedMarks(find, options.numbers ?? true)
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

/** Each mark makes a text of what is held, so that must not be as long as a delta can be. */
const pieceLength = 500

type Marks = Extract<Reading, { kind: 'marks' }>

/** A blank and an opening that are held back before a mark: they go if an unknown mark leaves nothing between. */
const lead = /^([ \u00a0\t]?)(\(|\*{1,3}|_{1,3})?/
/** Where a mark can begin. A blank belongs to one only when an opening follows, or what follows is not there yet. */
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

  /** Passes on the first characters of what is held. */
  #show(length: number): void {
    this.#ledger.show(this.#held.slice(0, length))
    this.#held = this.#held.slice(length)
  }

  /** Handles the start of what is held. @returns false if that needs more text. */
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
        // At the end of the reply this is the first part of a mark: nobody could use it.
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

  /** Takes marks that are not shown out of the text, with what would make no sense without them. */
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
