import { medial } from '../../text/fold.ts'

/** A word as written, and in the form used for comparison. */
export type ComparedWord = { readonly letters: string; readonly written: string }

const sign = /["'׳״’”“]/
/** Maximum letters of an abbreviation. Longer words with gershayim are words in quotation marks. */
const maxLetters = 9
/** `עאכו"כ` stands for four words; the longest known abbreviations for six. */
export const maxWords = 6

/** Whether a word is written as an abbreviation: in Hebrew, with gershayim inside or a geresh at its end. */
export function isAbbreviated({ letters, written }: ComparedWord): boolean {
  return /^[א-ת]{1,9}$/.test(letters) && letters.length <= maxLetters && sign.test(written)
}

/**
 * Returns how many of the words an abbreviation stands for, or 0. Its letters must begin these words in order: `אא"ס`
 * for `אור אין סוף`, `ביהמ"ק` for `בית המקדש`. With a geresh (`אפי'`) it is the beginning of one word.
 */
export function countAbbreviatedWords(short: ComparedWord, words: readonly string[]): number {
  if (!isAbbreviated(short)) return 0
  const letters = medial(short.letters)
  const [first = ''] = words
  if (isCutShort(letters, first)) return 1
  for (let count = 2; count <= Math.min(maxWords, words.length, letters.length); count += 1) {
    if (areBeginnings(letters, words.slice(0, count))) return count
  }
  return 0
}

/** A single letter is ambiguous, so only `ר'` (Rabbi) is read. */
function isCutShort(letters: string, word: string): boolean {
  if (letters.length === 1) return letters === 'ר' && /^(?:רבי|רב)$/.test(word)
  return word.length > letters.length && word.startsWith(letters)
}

function areBeginnings(letters: string, words: readonly string[]): boolean {
  const [word, ...more] = words
  if (word === undefined) return letters === ''
  const most = Math.min(word.length, letters.length - more.length)
  for (let size = 1; size <= most; size += 1) {
    if (letters[size - 1] !== word[size - 1]) return false
    if (areBeginnings(letters.slice(size), more)) return true
  }
  return false
}
