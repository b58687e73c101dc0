/** A stretch of a file's text that is shown, found and cited as one. */
export type FilePassage = {
  /** Where it stands: `page 3`, `paragraph 2` or `paragraphs 4–6`. */
  readonly place: string
  /** UTF-16 range in the text. Passages follow each other without a gap: what is shown is the text to the letter. */
  readonly start: number
  readonly end: number
}

/** Paragraphs are put together up to this many characters: a heading alone neither says nor proves anything. */
const wantedLength = 400
/** Longer stretches are cut. */
const mostLength = 2_000

const pageEnd = /\f/g
const paragraphEnd = /\n[^\S\n\f]*\n\s*/g

/** Cuts a text into passages: by pages where it has page marks, else by paragraphs, which empty lines part. */
export function passagesOf(text: string): readonly FilePassage[] {
  const stretches = text.includes('\f') ? pagesOf(text) : paragraphsOf(text)
  return stretches.filter(({ start, end }) => end > start).flatMap((passage) => cut(text, passage))
}

function pagesOf(text: string): FilePassage[] {
  return boundsOf(text, pageEnd).map(([start, end], i) => ({ place: `page ${i + 1}`, start, end }))
}

function paragraphsOf(text: string): FilePassage[] {
  const passages: FilePassage[] = []
  let open: { readonly first: number; readonly start: number } | undefined
  for (const [i, [start, end]] of boundsOf(text, paragraphEnd).entries()) {
    open ??= { first: i + 1, start }
    if (end - open.start < wantedLength && end < text.length) continue
    const place = open.first === i + 1 ? `paragraph ${i + 1}` : `paragraphs ${open.first}–${i + 1}`
    passages.push({ place, start: open.start, end })
    open = undefined
  }
  return passages
}

/** Stretches that end with a separator, which belongs to them. */
function boundsOf(text: string, separator: RegExp): [start: number, end: number][] {
  const ends = [...text.matchAll(separator)].map((match) => match.index + match[0].length)
  if (ends.at(-1) !== text.length) ends.push(text.length)
  return ends.map((end, i) => [ends[i - 1] ?? 0, end])
}

function cut(text: string, { place, start, end }: FilePassage): FilePassage[] {
  const pieces: FilePassage[] = []
  let from = start
  while (end - from > mostLength) {
    const to = from + lastBreak(text.slice(from, from + mostLength))
    pieces.push({ place, start: from, end: to })
    from = to
  }
  return [...pieces, { place, start: from, end }]
}

/** Where to cut: behind the last line or sentence in the second half, else behind the last blank. */
function lastBreak(text: string): number {
  const half = text.length / 2
  for (const pattern of [/\n(?=[^\n]*$)/, /[.!?:׃]["”״']?\s(?=[^.!?:׃]*$)/, /\s(?=\S*$)/]) {
    const match = pattern.exec(text)
    const at = match ? match.index + match[0].length : 0
    if (at > half) return at
  }
  // Not inside a pair of surrogates.
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length
}
