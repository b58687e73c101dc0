import {
  closingRun,
  continuesList,
  everyBeginning,
  isIndexed,
  isListHeading,
  isNumberedItem,
  isSourceItem,
  leadsToList,
  listInOneLine,
  longestCode,
  longestLine,
  mayBecomeListHeading,
  mayBeNumbered,
  namesGiven,
  numberGroup,
  underHeading,
} from './own-source-lists.ts'
import { VisibleText } from './visible-text.ts'

/** Each step copies the held text, so long deltas are cut into pieces. */
const pieceLength = 500

/** Position of the next character in its line. */
type LinePosition = 'line' | 'inside'

/** `true`: something was read. `false`: more text is needed. */
type Step = boolean
const longestBrackets = 80

/**
 * Removes two things from a streamed text: source lists with a heading or with numbers in brackets; numbers in brackets,
 * `[3]`, that were not given. Code, links and footnotes stay. The result does not depend on how the text is cut into
 * deltas.
 */
class OwnWordsFilter {
  readonly #listedMarks: string[] = []
  #numbersLeftOut = 0
  readonly #visible = new VisibleText()
  readonly #given: ReadonlySet<number>
  #held = ''
  #final = false
  #place: LinePosition = 'line'
  #mode: 'text' | 'list' | 'fence' | 'code' = 'text'
  #fence = ''
  #afterGap = false
  /** Whether list items are being removed. Indented lines then belong to an item and are not code. */
  #inItems = false
  #isAnswerList = false

  constructor(given: ReadonlySet<number>) {
    this.#given = given
  }

  /** @returns the text that certainly stays. Text that may still be removed is held back. */
  push(delta: string): string {
    for (let at = 0; at < delta.length; at += pieceLength) this.#advance(delta.slice(at, at + pieceLength))
    return this.#visible.take()
  }

  /**
   * Ends the text or a part of it.
   * @returns the text that was held back and stays.
   */
  end(): string {
    this.#final = true
    this.#advance('')
    this.#final = false
    this.#visible.close()
    return this.#visible.take()
  }

  /** Valid marks such as `S2` from the removed source lists, in order. */
  listedMarks(): readonly string[] {
    return this.#listedMarks
  }

  /** Number of removed citations such as `[3]`, whose numbers the client did not send. */
  numbersLeftOut(): number {
    return this.#numbersLeftOut
  }

  #advance(piece: string): void {
    this.#held += piece
    while (this.#held !== '' && this.#step());
  }

  #step(): Step {
    switch (this.#mode) {
      case 'list':
        return this.#listStep()
      case 'fence':
        return this.#fenceStep()
      case 'code':
        return this.#codeStep()
      case 'text':
        return this.#textStep()
    }
  }

  #textStep(): Step {
    const blanks = /^\s+/.exec(this.#held)?.[0]
    if (blanks !== undefined) return this.#readBlanks(blanks)
    if (this.#place === 'line') {
      const read = this.#lineStep()
      if (read !== undefined) return read
    }
    switch (this.#held.charAt(0)) {
      case '`':
        return this.#inlineCode()
      case '(':
      case '[':
      case '【':
        return this.#brackets()
      default:
        return this.#show(/^[^\s([【`]+/.exec(this.#held)?.[0].length ?? 1)
    }
  }

  #readBlanks(blanks: string): Step {
    this.#visible.addSpace(blanks)
    this.#held = this.#held.slice(blanks.length)
    if (blanks.includes('\n')) this.#place = 'line'
    return true
  }

  #show(length: number): Step {
    this.#visible.show(this.#held.slice(0, length))
    this.#held = this.#held.slice(length)
    this.#place = 'inside'
    return true
  }

  #leaveOut(length: number): Step {
    this.#visible.leaveOut()
    this.#held = this.#held.slice(length)
    return true
  }

  /** Returns the current line, as far as it has arrived. */
  #line(): { readonly text: string; readonly isWhole: boolean } {
    const end = this.#held.indexOf('\n')
    return end < 0
      ? { text: this.#held, isWhole: this.#final }
      : { text: this.#held.slice(0, end), isWhole: true }
  }

  /** @returns undefined for an ordinary line. */
  #lineStep(): Step | undefined {
    const line = this.#line()
    const code = this.#codeBlock(line.text, line.isWhole)
    if (code !== undefined) return code
    this.#inItems = itemStart.test(line.text) || (this.#inItems && this.#indentation() > 0)
    if (line.text.length > longestLine) return undefined
    const numbered = mayBeNumbered(line.text) && !namesGiven(line.text, this.#given)
    if (!line.isWhole && (mayBecomeListHeading(line.text) || numbered)) return false
    if (!line.isWhole) return undefined
    if (numbered && isNumberedItem(line.text)) return this.#numberedItem()
    if (!everyBeginning(line.text, mayBecomeListHeading)) return undefined
    if (isListHeading(line.text)) return this.#readHeading(line.text.length)
    return this.#listInLine(line.text)
  }

  #listInLine(line: string): Step | undefined {
    const isAnswer = this.#visible.isEmpty || leadsToList(this.#visible.tail)
    if (isAnswer || listInOneLine(line) === undefined) return undefined
    this.#noteMarks(line)
    return this.#enterList(line.length, true)
  }

  /** Numbered items behind a colon are what the answer says. */
  #numberedItem(): Step {
    this.#isAnswerList ||= leadsToList(this.#visible.tail)
    if (!this.#isAnswerList) return this.#enterList(0, false)
    this.#place = 'inside'
    return true
  }

  /**
   * Removes a heading if list items or nothing follow it. If the answer begins with the heading, the list is the
   * answer itself and stays, unless its items are numbered. It also stays behind a colon: `He says so here:`.
   */
  #readHeading(length: number): Step | undefined {
    if (leadsToList(this.#visible.tail)) return undefined
    const ahead = this.#held.slice(length, length + 3 * longestLine)
    const gap = underHeading(ahead)
    const end = ahead.indexOf('\n', gap)
    const item = end < 0 ? ahead.slice(gap) : ahead.slice(gap, end)
    if (gap > longestLine || item.length > longestLine) return undefined
    if ((item === '' || end < 0) && !this.#final) return false
    const isOwn = item === '' || isNumberedItem(item)
    if (!isOwn && (this.#visible.isEmpty || !isSourceItem(item))) return undefined
    return this.#enterList(length, false)
  }

  #enterList(length: number, afterGap: boolean): Step {
    this.#mode = 'list'
    this.#afterGap = afterGap
    // The line break of the heading is not a blank line.
    return this.#leaveOut(this.#held.charAt(length) === '\n' ? length + 1 : length)
  }

  #listStep(): Step {
    const line = this.#line()
    if (!line.isWhole && line.text.length <= longestLine) return false
    if (!continuesList(line.text, this.#afterGap)) {
      this.#mode = 'text'
      this.#place = 'line'
      this.#visible.addSpace('\n\n')
      return true
    }
    this.#noteMarks(line.text)
    this.#afterGap = line.text.trim() === ''
    return this.#leaveOut(line.text.length + 1)
  }

  #noteMarks(line: string): void {
    for (const [, number] of line.matchAll(/(?<![\p{L}\p{N}])[Ss](\d{1,4})(?![\p{L}\p{N}])/gu))
      this.#listedMarks.push(`S${Number(number)}`)
  }

  #brackets(): Step {
    const text = this.#held
    if (/^[[【]\^?[Ss]\d/.test(text)) return this.#show(1)
    const close = /[\])】\n]/.exec(text)?.index
    const isOpen = close === undefined && text.length <= longestBrackets && !this.#final
    if (isOpen) return false
    const number = numberGroup(text)
    if (number !== undefined) return this.#numbers(number)
    return this.#show(1)
  }

  #numbers(group: string): Step {
    const next = this.#held.charAt(group.length)
    if (next === '' && !this.#final) return false
    const isLink = next === '(' || (next === ':' && this.#place === 'line')
    const isIndex = !group.startsWith('(') && isIndexed(this.#visible.joined)
    if (isLink || isIndex || namesGiven(group, this.#given)) return this.#show(group.length)
    this.#numbersLeftOut += 1
    return this.#leaveOut(group.length)
  }

  #inlineCode(): Step {
    const run = /^`+/.exec(this.#held)?.[0] ?? '`'
    if (run.length >= longestCode) return this.#show(longestCode)
    if (run.length === this.#held.length && !this.#final) return false
    const line = this.#line()
    const close = closingRun(line.text, run.length)
    const mayGoOn = close === undefined || close === line.text.length
    if (mayGoOn && !line.isWhole && line.text.length <= longestCode) return false
    return this.#show(close ?? run.length)
  }

  #indentation(): number {
    const space = this.#visible.space
    return space.slice(space.lastIndexOf('\n') + 1).replaceAll('\t', '    ').length
  }

  /** Reads a fenced code block, or an indented one after a blank line. */
  #codeBlock(line: string, isWhole: boolean): Step | undefined {
    const isApart = this.#visible.isEmpty || this.#visible.space.split('\n').length > 2
    if (this.#indentation() >= 4 && isApart && !this.#inItems) {
      this.#mode = 'code'
      return true
    }
    const fence = /^(?:`{3,}|~{3,})/.exec(line)?.[0].slice(0, longestCode)
    const mayGrow = !isWhole && fence?.length !== longestCode
    if (mayGrow && (fence === line || line === '`' || line === '``' || line === '~' || line === '~~'))
      return false
    if (fence === undefined) return undefined
    const info = fence.length === longestCode ? '' : line.slice(fence.length, fence.length + longestBrackets)
    if (mayGrow && info.length < longestBrackets && !info.includes('`')) return false
    if (info.includes('`')) return undefined
    this.#fence = fence
    this.#mode = 'fence'
    return this.#show(fence.length)
  }

  #codeStep(): Step {
    const end = this.#held.indexOf('\n')
    if (end >= 0) this.#mode = 'text'
    return this.#show(end < 0 ? this.#held.length : end)
  }

  #fenceStep(): Step {
    const { text, isWhole } = this.#line()
    if (this.#place === 'line') {
      const mayClose = /^[ \t]*[`~]*[ \t]*$/.test(text)
      if (mayClose && !isWhole && text.length <= longestBrackets) return false
      const closes = mayClose && text.trim().startsWith(this.#fence)
      if (closes) this.#mode = 'text'
    }
    const hasEnd = this.#held.length > text.length
    this.#show(text.length)
    if (hasEnd) {
      this.#visible.addSpace('\n')
      this.#held = this.#held.slice(1)
      this.#place = 'line'
    }
    return true
  }
}

const itemStart = /^(?:[-*+•]|\d{1,3}[.)])\s/

/** @param given numbers in brackets from the client's messages; the answer may repeat them. */
export function createOwnWordsFilter(given: ReadonlySet<number> = new Set()): OwnWordsFilter {
  return new OwnWordsFilter(given)
}
