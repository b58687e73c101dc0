const romanNumeral = /^(?=[IVXLC]{2}|[VX]$)(C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$/
const romanValues: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 }

/** Roman numbers in small letters that are also words or abbreviations. */
const smallWords = new Set('cc ci cl cv li xl'.split(' '))

/**
 * Parses a Roman number below 400, in capitals or in small letters: `XXVI`, `xxvi`. Of single letters only the capitals V
 * and X count, because the others are words or initials.
 */
export function romanNumber(word: string): number | undefined {
  const isSmall = /^[ivxlc]{2,}$/.test(word) && !smallWords.has(word)
  const capitals = isSmall ? word.toUpperCase() : word
  if (!romanNumeral.test(capitals)) return undefined
  const values = [...capitals].map((letter) => romanValues[letter] ?? 0)
  return values.reduce((sum, value, i) => (value < (values[i + 1] ?? 0) ? sum - value : sum + value), 0)
}

/**
 * A title with a Roman number, and perhaps smaller numbers: `Tanya XXVI`, `Genesis XXIII:4`. The number of a part is not
 * one of its chapters: `Tanya, Part VI`.
 */
const behindTitle = /^(.*\S)(?<!\b(?:part|pt|vol|volume)\.?)[\s,.]+([ivxlc]+)(\s*[:.,]\s*\d.*)?$/iu

/** Writes the digits of a Roman number behind a title. Undefined for a text without one. */
export function withRomanDigits(text: string): string | undefined {
  const [, title = '', written = '', more = ''] = behindTitle.exec(text) ?? []
  const number = romanNumber(written)
  return number === undefined ? undefined : `${title} ${number}${more}`
}

const romanParts: readonly (readonly [letters: string, value: number])[] = [
  ['C', 100],
  ['XC', 90],
  ['L', 50],
  ['XL', 40],
  ['X', 10],
  ['IX', 9],
  ['V', 5],
  ['IV', 4],
  ['I', 1],
]

/** Writes a number below 400 in Roman letters; empty for others. */
export function toRomanNumber(number: number): string {
  if (number >= 400) return ''
  let left = number
  let written = ''
  for (const [letters, value] of romanParts) {
    while (left >= value) {
      written += letters
      left -= value
    }
  }
  return written
}
