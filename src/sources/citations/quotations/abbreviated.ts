import { medial } from '../../text/fold.ts'

/** A word as it is written and as it is compared. */
export type ComparedWord = { readonly letters: string; readonly written: string }

const sign = /["'׳״’”“]/
/** Longer ones are words in quotation marks. */
const maxLetters = 9
/** `עאכו"כ` has four words; the longest in use have six. */
export const maxWords = 6

/** Whether a word is written as an abbreviation: Hebrew, with gershayim inside or a geresh at its end. */
export function isAbbreviated({ letters, written }: ComparedWord): boolean {
  return /^[א-ת]{1,9}$/.test(letters) && letters.length <= maxLetters && sign.test(written)
}

/**
 * How many words an abbreviation stands for, of those given; 0 if it stands for none of them. Its letters must be the
 * beginnings of these words in their order, as in `אא"ס` for `אור אין סוף` or `ביהמ"ק` for `בית המקדש`; one with a
 * geresh (`אפי'`) is the beginning of one word.
 */
export function wordsAbbreviated(short: ComparedWord, words: readonly string[]): number {
  if (!isAbbreviated(short)) return 0
  const letters = medial(short.letters)
  const [first = ''] = words
  if (isCutShort(letters, first)) return 1
  for (let count = 2; count <= Math.min(maxWords, words.length, letters.length); count += 1) {
    if (areBeginnings(letters, words.slice(0, count))) return count
  }
  return 0
}

/** A single letter is too little: only `ר'` is read, which is Rabbi. */
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
