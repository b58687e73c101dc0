import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'

/** A word of a running text with its place; `end` exclusive, UTF-16 units. */
export type TextWord = {
  readonly start: number
  readonly end: number
  readonly text: string
  /** As in the keys of titles, see `headingKey` and `looseHeadingKey`. */
  readonly key: string
  readonly loose: string
}

/** Letters and digits, with quotation marks within as in `מוהר"ן`, and a geresh behind a Hebrew letter. */
const word =
  /[\p{L}\p{N}\p{M}]+(?:["'`׳״‘’“”„]{1,2}[\p{L}\p{N}\p{M}]+)*(?:(?<=[\u05d0-\u05ea\u05b0-\u05bd])['׳’](?!\p{L}))?/gu

/** On a word in Latin letters: `בTanya`. */
const hebrewPrefix = /^[ובהלמשכ]{1,2}(?=[\p{Script=Latin}\d])/u

/** Longer runs of letters are no words: they are left out. */
const longestWord = 60

const remembered = new Map<string, readonly [key: string, loose: string]>()

/** Words that are read between two looks at the clock. */
const wordsPerStep = 50

/** The words of a text in order. Yields where the work may be interrupted. */
export function* wordsIn(text: string): Generator<undefined, readonly TextWord[]> {
  const words: TextWord[] = []
  let read = 0
  for (const match of text.matchAll(word)) {
    read += 1
    if (read % wordsPerStep === 0) yield
    const cut = hebrewPrefix.exec(match[0])?.[0].length ?? 0
    const written = match[0].slice(cut)
    if (written.length > longestWord) continue
    const [key, loose] = keysOf(written)
    if (key === '') continue
    words.push({ start: match.index + cut, end: match.index + match[0].length, text: written, key, loose })
  }
  return words
}

function keysOf(written: string): readonly [key: string, loose: string] {
  const known = remembered.get(written)
  if (known) return known
  const made = [headingKey(written), looseHeadingKey(written).slice(1)] as const
  // Texts repeat a few thousand words; the bound keeps hostile input from growing the table.
  if (remembered.size < 20_000) remembered.set(written, made)
  return made
}

/** Between two words a title or a ref does not run on: the end of a sentence or of a paragraph. */
export function isBreak(gap: string): boolean {
  return gap.length > 12 || /[?!]|\.\s|\n\s*\n/.test(gap)
}
