/** A part of a file's text that is shown, found and cited as a unit. */
export type FilePassage = {
  /** Its position: `page 3`, `paragraph 2` or `paragraphs 4–6`. */
  readonly place: string
  /** UTF-16 range in the text. Passages have no gaps between them, so together they are the exact text. */
  readonly start: number
  readonly end: number
}

/** Target length. Short paragraphs are joined, because a heading alone contains no statement. */
const wantedLength = 400
/** Maximum length of a passage; longer ones are cut. */
const maxLength = 2_000

const pageEnd = /\f/g
const paragraphEnd = /\n[^\S\n\f]*\n\s*/g

/**
 * Cuts a text into passages: by pages if it has page marks, otherwise by paragraphs, which are separated by empty
 * lines. It is a generator, because a text may have thousands.
 */
export function* passagesOf(text: string): Generator<FilePassage> {
  for (const stretch of text.includes('\f') ? pagesOf(text) : paragraphsOf(text))
    if (stretch.end > stretch.start) yield* cut(text, stretch)
}

function* pagesOf(text: string): Generator<FilePassage> {
  let number = 0
  for (const [start, end] of boundsOf(text, pageEnd)) {
    number += 1
    yield { place: `page ${number}`, start, end }
  }
}

function* paragraphsOf(text: string): Generator<FilePassage> {
  let open: { readonly first: number; readonly start: number } | undefined
  let number = 0
  for (const [start, end] of boundsOf(text, paragraphEnd)) {
    number += 1
    open ??= { first: number, start }
    if (end - open.start < wantedLength && end < text.length) continue
    const place = open.first === number ? `paragraph ${number}` : `paragraphs ${open.first}–${number}`
    yield { place, start: open.start, end }
    open = undefined
  }
}

/** Ranges that end with a separator, which is included. */
function* boundsOf(text: string, separator: RegExp): Generator<readonly [start: number, end: number]> {
  let start = 0
  for (const match of text.matchAll(separator)) {
    const end = match.index + match[0].length
    yield [start, end]
    start = end
  }
  if (start < text.length || text === '') yield [start, text.length]
}

function* cut(text: string, { place, start, end }: FilePassage): Generator<FilePassage> {
  let from = start
  while (end - from > maxLength) {
    const to = from + lastBreak(text.slice(from, from + maxLength))
    yield { place, start: from, end: to }
    from = to
  }
  yield { place, start: from, end }
}

/** Index at which to cut: after the last line or sentence in the second half, otherwise after the last space. */
function lastBreak(text: string): number {
  const half = text.length / 2
  for (const pattern of [/\n(?=[^\n]*$)/, /[.!?:׃]["”״']?\s(?=[^.!?:׃]*$)/, /\s(?=\S*$)/]) {
    const match = pattern.exec(text)
    const at = match ? match.index + match[0].length : 0
    if (at > half) return at
  }
  // Do not cut between the two surrogates of a character.
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length
}
