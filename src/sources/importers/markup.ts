import { Parser } from 'htmlparser2'

/** A segment as plain text, with its footnotes separate. */
export type Segment = { readonly text: string; readonly notes: readonly string[] }

type Kind = 'plain' | 'footnote' | 'sup' | 'dropped'

const breaks = new Set(['br', 'p', 'div', 'li', 'tr', 'h1', 'h2', 'h3', 'h4'])
const dropped = new Set(['img', 'script', 'style', 'table-of-contents'])

/**
 * Placeholder of a note until the spaces around it are normalised. A private-use character that texts do not contain.
 */
const noteMark = '\ue0ff'

/**
 * Converts the markup of a segment to plain text. Footnotes go into `notes`; their markers, page markers,
 * commentators' anchors and images are removed; line breaks stay. Badly nested markup is read as browsers read it.
 */
export function readSegment(html: string): Segment {
  const plain = html.includes('<') ? withoutPlainTags(html) : html
  if (!plain.includes('<') && !plain.includes('&')) return { text: tidy(plain), notes: [] }
  const reader = read(html, 'nested')
  // An unclosed note would contain all text after it. On a second reading it ends at its first `</i>`.
  return (reader.hasOpenNote ? read(html, 'shortest') : reader).finish()
}

/** Removes tags that only format. Most segments have no others, and this takes a fifth of the parser's time. */
function withoutPlainTags(html: string): string {
  return html.replace(/<\/?(?:b|i|u|em|big|small|strong)>/g, '').replace(/<br ?\/?>/g, '\n')
}

type NoteEnds = 'nested' | 'shortest'

function read(html: string, noteEnds: NoteEnds): SegmentReader {
  const reader = new SegmentReader(noteEnds)
  const parser = new Parser(reader, { decodeEntities: true, lowerCaseTags: true, recognizeSelfClosing: true })
  parser.write(html)
  parser.end()
  return reader
}

/** Matches the end of a word, with points and punctuation. */
const behindWord = /[\p{L}][\p{M}.,;:!?׃"'״׳”’)\]]{0,4}$/u

/** Receives the parser's events. */
class SegmentReader {
  /** Whether a note was still open when the markup around it ended. */
  hasOpenNote = false
  readonly #noteEnds: NoteEnds
  readonly #open: Kind[] = []
  readonly #notes: string[] = []
  #text = ''
  #note = ''
  #inNote = false
  #dropDepth = 0
  /** The last `<sup>` and its start. It is a footnote marker if a footnote follows directly. */
  #sup: { readonly start: number; readonly end: number } | undefined
  #supStart = 0

  constructor(noteEnds: NoteEnds) {
    this.#noteEnds = noteEnds
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    const kind = kindOf(name, attributes)
    this.#open.push(kind)
    if (kind === 'dropped') this.#dropDepth += 1
    if (breaks.has(name)) this.ontext('\n')
    if (this.#inNote && this.#noteEnds === 'shortest' && isMarker(name, attributes)) this.#endNote()
    if (kind === 'sup' && !this.#inNote) this.#supStart = this.#text.length
    if (kind === 'footnote' && !this.#inNote) this.#startNote()
  }

  ontext(text: string): void {
    if (this.#dropDepth > 0) return
    if (this.#inNote) this.#note += text
    else this.#text += text
  }

  onclosetag(name: string, implied: boolean): void {
    const kind = this.#open.pop()
    if (kind === 'dropped') this.#dropDepth -= 1
    if (kind === 'footnote' && implied) this.hasOpenNote = true
    const isEnd =
      this.#noteEnds === 'nested' ? kind === 'footnote' && !this.#open.includes('footnote') : name === 'i'
    if (this.#inNote && isEnd) this.#endNote()
    if (kind === 'sup' && !this.#inNote) this.#endSup()
  }

  /** The number of a note behind a word is removed even if the note stands elsewhere: with it, the word is another one. */
  #endSup(): void {
    const raised = this.#text.slice(this.#supStart)
    const isNumber = /^[\d*†‡]{1,4}$/.test(raised) && behindWord.test(this.#text.slice(0, this.#supStart))
    if (isNumber) this.#text = this.#text.slice(0, this.#supStart)
    this.#sup = { start: this.#supStart, end: this.#text.length }
  }

  #startNote(): void {
    const sup = this.#sup
    if (sup && this.#text.slice(sup.end).trim() === '') this.#text = this.#text.slice(0, sup.start)
    this.#sup = undefined
    this.#inNote = true
    this.#note = ''
  }

  #endNote(): void {
    const note = tidy(this.#note)
    if (note !== '') this.#notes.push(note)
    this.#inNote = false
    this.#text += noteMark
  }

  finish(): Segment {
    if (this.#inNote) this.#endNote()
    return { text: tidy(closeGaps(this.#text)), notes: this.#notes }
  }
}

function kindOf(name: string, attributes: Readonly<Record<string, string>>): Kind {
  if (dropped.has(name)) return 'dropped'
  if (name === 'sup') return isMarker(name, attributes) ? 'dropped' : 'sup'
  if (name !== 'i' && name !== 'span') return 'plain'
  if (/footnote/i.test(attributes['class'] ?? '')) return 'footnote'
  const isAnchor = ['data-overlay', 'data-commentator', 'data-value'].some(
    (key) => attributes[key] !== undefined,
  )
  return isAnchor ? 'dropped' : 'plain'
}

function isMarker(name: string, attributes: Readonly<Record<string, string>>): boolean {
  return name === 'sup' && /footnote-?marker/i.test(attributes['class'] ?? '')
}

/** Inserts a space between words that only a note separated, and moves punctuation after a note back to its word. */
function closeGaps(text: string): string {
  if (!text.includes(noteMark)) return text
  return text
    .replace(new RegExp(`${noteMark}(?:\\s*${noteMark})+`, 'gu'), noteMark)
    .replace(new RegExp(`[ \\t\\u00a0]+${noteMark}[ \\t\\u00a0]*(?=[.,;:!?)\\]״”’]|$)`, 'gu'), '')
    .replace(new RegExp(`(?<=[\\p{L}\\p{M}\\p{N}])${noteMark}(?=[\\p{L}\\p{N}])`, 'gu'), ' ')
    .replace(new RegExp(noteMark, 'gu'), '')
}

/** Most texts have none of this, and the search for it takes a fifth of the time of the replacements. */
const untidy = /[\0\t\n\r\u00a0\ud800-\udfff]| {2}|^\s|\s$/

/**
 * Collapses and trims spaces and keeps all other characters. It removes NUL and lone surrogates, which Postgres
 * cannot store.
 */
function tidy(text: string): string {
  if (!untidy.test(text)) return text
  return text
    .replaceAll('\0', '')
    .toWellFormed()
    .replace(/[ \t\r\u00a0]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim()
}
