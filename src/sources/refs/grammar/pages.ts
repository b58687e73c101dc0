import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { unitPattern } from './units.ts'

const page = unitPattern('page')
const leaf = unitPattern('leaf')

/** Matches `p. 41` and `pages 3-4`. A leaf such as `p. 12a` is not a page. */
const latinPage = new RegExp(`(?:^|[\\s.,:(])(?:${page})(?:\\.\\s*|\\s+)\\d{1,4}(?![a-d\\d])`, 'iu')
/** Matches `עמוד מא`, but not the side of a leaf: `דף ב עמוד א`, `ב עמוד ב`. */
const hebrewPage = new RegExp(
  `(?:^|[\\s,])(?<before>\\S{1,12})[\\s,]{1,3}[בהו]?(?:${page})\\s+["'׳״א-ת\\d]{1,6}$`,
  'u',
)

/**
 * Whether a ref names a page. The library stores no pages, and page 41 of a book is not its chapter 41.
 * @param written without vowel points.
 */
export function isPageRef(written: string): boolean {
  const text = written.replaceAll('׳', "'")
  if (latinPage.test(text)) return true
  const before = hebrewPage.exec(text)?.groups?.['before']
  return before !== undefined && hebrewNumber(before) === undefined && !/^\d{1,4}$/.test(before)
}

const number = `["'׳״א-ת\\d]{1,6}[a-d]?`
const leafUnit = new RegExp(
  `(?:^|[\\s,.:(])[בהו]?(?:${leaf})[\\s.]+${number}(?:\\s?[-–]\\s?${number})?$`,
  'iu',
)

/** Whether the last number of a ref is that of a leaf: `daf 41`, `דף מא`. Leaf 41 of a book is not its chapter 41. */
export function isLeafRef(text: string): boolean {
  return leafUnit.test(text)
}

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
