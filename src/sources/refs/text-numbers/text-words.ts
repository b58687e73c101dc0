import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'

/** A word of a text with its range in UTF-16 units; `end` is exclusive. */
export type TextWord = {
  readonly start: number
  readonly end: number
  readonly text: string
  /** The word in the form of `headingKey` and of `looseHeadingKey`. */
  readonly key: string
  readonly loose: string
}

/** Matches letters and digits, with quotation marks inside a word (`מוהר"ן`) and a geresh after a Hebrew letter. */
const word =
  /[\p{L}\p{N}\p{M}]+(?:["'`׳״‘’“”„]{1,2}[\p{L}\p{N}\p{M}]+)*(?:(?<=[\u05d0-\u05ea\u05b0-\u05bd])['׳’](?!\p{L}))?/gu

/** Matches a Hebrew prefix of a word in Latin letters: `בTanya`. */
const hebrewPrefix = /^[ובהלמשכ]{1,2}(?=[\p{Script=Latin}\d])/u

/** Longer runs of letters are skipped. */
const longestWord = 60

const remembered = new Map<string, readonly [key: string, loose: string]>()

/** Words processed between two checks of the clock. */
const wordsPerStep = 50

/** Splits a text into words, in order. The generator yields at points where the caller may pause it. */
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
  // Texts repeat a few thousand words. The limit keeps hostile input from growing the table.
  if (remembered.size < 20_000) remembered.set(written, made)
  return made
}

/** Whether the text between two words ends a sentence or a paragraph. No title or ref continues across it. */
export function isBreak(gap: string): boolean {
  return gap.length > 12 || /[?!]|\.\s|\n\s*\n/.test(gap)
}
