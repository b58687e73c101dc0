import { hebrewNumber } from '../hebrew-numbers.ts'

/** `p. 41`, `pages 3-4`; a leaf such as `p. 12a` is no page. */
const latinPage = /(?:^|[\s.,:(])(?:pages?|pp?)(?:\.\s*|\s+)\d{1,4}(?![a-d\d])/iu
/** `עמוד מא`, not the side of a leaf: `דף ב עמוד א`, `ב עמוד ב`. */
const hebrewPage = /(?:^|[\s,])(?<before>\S{1,12})[\s,]{1,3}[בהו]?(?:עמוד|עמ['׳])\s+["'׳״א-ת\d]{1,6}$/u

/**
 * Whether a ref names a page. The library knows no pages: a page of a printed book is not its chapter of that number.
 *
 * @param text without points.
 */
export function isPageRef(text: string): boolean {
  if (latinPage.test(text)) return true
  const before = hebrewPage.exec(text)?.groups?.['before']
  return before !== undefined && hebrewNumber(before) === undefined && !/^\d{1,4}$/.test(before)
}
