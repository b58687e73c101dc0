import { headingKey } from '../../text/heading-keys.ts'
import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'

/** Matches `p. 41` and `pages 3-4`. A leaf such as `p. 12a` is not a page. */
const latinPage = /(?:^|[\s.,:(])(?:pages?|pp?)(?:\.\s*|\s+)\d{1,4}(?![a-d\d])/iu
/** Matches `עמוד מא`, but not the side of a leaf: `דף ב עמוד א`, `ב עמוד ב`. */
const hebrewPage = /(?:^|[\s,])(?<before>\S{1,12})[\s,]{1,3}[בהו]?(?:עמוד|עמ['׳])\s+["'׳״א-ת\d]{1,6}$/u

/** Matches a leaf, for works whose chapters have no leaves: `Tanya daf 41b`, `תניא דף מא ע"ב`, `Tanya 41a`. */
const leaf =
  /^(?<title>.{2,60}?)[\s,.:]+(?:[בהו]?דף|daf|folio|fol\.?)[\s.]+["'׳״א-ת\d]{1,6}[a-d]?(?:[\s,]+(?:ע["״][אב]|עמוד [אב]))?$/iu
const sided = /^(?<title>.{2,60}?)[\s,]+\d{1,4}[a-d]$/iu
const chaptered: ReadonlySet<string> = new Set([
  headingKey('Tanya, Part I; Likkutei Amarim'),
  headingKey('Tanya, Part II; Shaar HaYichud VehaEmunah'),
  headingKey('Tanya, Part III; Iggeret HaTeshuvah'),
  headingKey('Tanya, Part IV; Iggeret HaKodesh'),
])

function isLeafOfChapters(text: string): boolean {
  const title = (leaf.exec(text) ?? sided.exec(text))?.groups?.['title']
  const key = title === undefined ? '' : headingKey(title)
  return key !== '' && [key, ...otherTitleKeys(key)].some((one) => chaptered.has(one))
}

/**
 * Whether a ref names a page. The library stores no pages, and page 41 of a book is not its chapter 41.
 * @param text without vowel points.
 */
export function isPageRef(text: string): boolean {
  if (latinPage.test(text) || isLeafOfChapters(text)) return true
  const before = hebrewPage.exec(text)?.groups?.['before']
  return before !== undefined && hebrewNumber(before) === undefined && !/^\d{1,4}$/.test(before)
}
