import { latinUnits, partWords } from './units.ts'

/** Without other letters, quotation marks and slashes, words are runs of these letters and digits. */
const plain = /^[a-z\d\s.,;:?!()[\]{}…–—-]*$/i

/** Matches what every ref with a number has in such a text: a digit that begins a word, or a unit. */
const number = new RegExp(
  `(?<![a-z\\d])(?:\\d|(?:${[...latinUnits, ...partWords].join('|')})(?![a-z\\d]))`,
  'i',
)

/** A Roman number: `Tanya XXVI`. */
const roman = /(?<![A-Za-z\d])(?:[IVXLC]{2,}|[ivxlc]{2,}|[VX])(?![A-Za-z\d])/

/**
 * Whether a text certainly has no ref with a number. It is a quick test for plain English texts; false says nothing.
 */
export function isWithoutNumbers(text: string): boolean {
  return plain.test(text) && !number.test(text) && !roman.test(text)
}
