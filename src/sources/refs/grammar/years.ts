import { hebrewNumber } from '../../text/hebrew-numbers.ts'

/** Years of the Jewish calendar by which collections of talks are divided: 5000 to 5999. */
const latinYear = /(?<![\d:.])5\d{3}(?!\d)/
/** Matches `תרל"א` and `ה'תרל"א`, the thousands usually left out. */
const hebrewYear = /(?<![א-ת])(?:ה['׳])?(ת[א-ת]{0,3}["״][א-ת])(?![א-ת])/gu

/** Whether a word is a year: `5631`, `תרל"א`. */
export function isYear(word: string): boolean {
  return /^5\d{3}$/.test(word) || yearsIn(word).includes(word.replace(/^ה['׳]/, ''))
}

/** Whether a ref has a year. */
export function namesYear(ref: string): boolean {
  return latinYear.test(ref) || yearsIn(ref).length > 0
}

function yearsIn(text: string): readonly string[] {
  return [...text.matchAll(hebrewYear)].flatMap(({ 1: written = '' }) => {
    const number = hebrewNumber(written.replace('״', '"')) ?? 0
    return number >= 400 && number < 1000 ? [written] : []
  })
}
