import { lazy } from './lazy.ts'

/**
 * Folds texts to the form in which they are compared. It removes what editors add or print differently and keeps the
 * letters.
 */

export type Folded = {
  readonly folded: string
  /**
   * `offsets[i]` is the UTF-16 offset in the original text of the character that `folded[i]` came from. One more
   * entry marks the end of the last word. The original of `folded.slice(i, j)` is `text.slice(offsets[i],
   * offsets[j])`.
   */
  readonly offsets: number[]
}

const mark = /\p{M}/uy

/** Vowel points, cantillation and Latin accents (all are marks), and invisible characters. */
const dropped = /[\p{M}\p{Cf}]/gu

/** Gershayim, geresh, apostrophes and all quotation marks, also straight ones. */
const quotes = /^["'`´׳״‘’‚‛“”„‟′″«»‹›]$/u

const wordCharacter = /[\p{L}\p{N}]/u

const finals: Readonly<Record<string, string>> = { ך: 'כ', ם: 'מ', ן: 'נ', ף: 'פ', ץ: 'צ' }

/** Yiddish letters of two characters, which Unicode does not decompose. */
const ligatures: Readonly<Record<string, string>> = { '\u05f0': 'וו', '\u05f1': 'וי', '\u05f2': 'יי' }

const hasFinal = /[ךםןףץ]/

/** Replaces final letters by medial ones, so that `שלום` and `שלומ` are equal. */
export function medial(text: string): string {
  return hasFinal.test(text) ? text.replace(/[ךםןףץ]/g, (letter) => finals[letter] ?? letter) : text
}

/**
 * Folds a text for comparison: NFKC, lower case, medial for final letters, no points or accents, no quotation marks
 * or gershayim. Spaces, maqaf and other punctuation become one space; none stays at either end.
 */
export function fold(text: string): Folded {
  const offsets: number[] = []
  let folded = ''
  let separatorAt = -1
  let end = 0
  for (let at = 0; at < text.length; at = end) {
    end = endOfCluster(text, at)
    // The marks are dropped, so that those of a common character need not be read.
    const letters = common()[text.charCodeAt(at)]?.letters ?? foldCluster(text.slice(at, end))
    if (letters === '') continue
    if (letters === ' ') {
      if (separatorAt < 0) separatorAt = at
      continue
    }
    if (separatorAt >= 0 && folded !== '') {
      folded += ' '
      offsets.push(separatorAt)
    }
    separatorAt = -1
    folded += letters
    for (let i = 0; i < letters.length; i += 1) offsets.push(at)
  }
  offsets.push(separatorAt >= 0 ? separatorAt : text.length)
  return { folded, offsets }
}

/** The characters before this one, of Latin, Greek, Cyrillic and Hebrew, are read from a table. */
const firstRare = 0x600

/** By code: whether a character is a mark, and what its cluster folds to. */
const common = lazy(() =>
  Array.from({ length: firstRare }, (_, code) => {
    const character = String.fromCharCode(code)
    return { isMark: /\p{M}/u.test(character), letters: computeCluster(character) }
  }),
)

/**
 * The end of a character with its marks. Normalisation never combines characters of two such clusters.
 */
function endOfCluster(text: string, at: number): number {
  let end = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
  while (end < text.length) {
    const code = text.charCodeAt(end)
    mark.lastIndex = end
    const isMark = code < firstRare ? common()[code]?.isMark : mark.test(text)
    if (!isMark) return end
    end = code < firstRare ? end + 1 : mark.lastIndex
  }
  return end
}

const simple = new Map<string, string>()

/** Returns the letters or digits of a cluster, a space for a separator, or nothing. */
function foldCluster(text: string): string {
  const known = simple.get(text)
  if (known !== undefined) return known
  const made = computeCluster(text)
  // Texts repeat a few hundred clusters. The limit keeps hostile input from growing the table.
  if (simple.size < 4096) simple.set(text, made)
  return made
}

function computeCluster(text: string): string {
  const plain = text.normalize('NFKD').replace(dropped, '').normalize('NFKC').toLowerCase()
  const bare = medial(plain.replace(/[\u05f0-\u05f2]/g, (letter) => ligatures[letter] ?? letter))
  let letters = ''
  let separates = false
  for (const character of bare) {
    if (wordCharacter.test(character)) letters += character
    else if (!quotes.test(character)) separates = true
  }
  if (letters !== '') return letters
  return separates ? ' ' : ''
}
