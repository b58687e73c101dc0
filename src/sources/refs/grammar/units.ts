/** Words that stand before a number in a ref: one list for the resolver and for refs in running text. */

const latin =
  'chapters chapter chap chs ch sections section sec essay paragraphs paragraph para torah lesson letter epistle perek perakim pasuk ' +
  'siman seif daf folio page pages pp p no verses verse vv'

export const latinUnits: ReadonlySet<string> = new Set(latin.split(' '))

/** For regular expressions: the words with or without a dot, and signs. Longer words come first. */
export const latinUnitPattern = `(?:(?:${latin
  .split(' ')
  .sort((a, b) => b.length - a.length)
  .join('|')})\\.?|[§#¶])`

/** Before the first number of a ref they name a part; titles write it in Roman letters. */
export const partWords: ReadonlySet<string> = new Set('part volume vol'.split(' '))

const hebrew = new Set(
  "פרק פרקים סימן סעיף אות תורה דף דפים עמוד עמודים פסקה אגרת הלכה משנה פסוק פסוקים מאמר דרוש פ פ' סי' סע' פיסקה שורה".split(
    ' ',
  ),
)

/** Prefixes that a unit bears in a sentence: `בפרק`, `שבפרק`. */
const prefixes = /^(?:ש[בלמ]|ו[בלמש]|[ובלמהש])(?=[א-ת]{2})/

/** For regular expressions: a unit of several letters, with a prefix or without. */
export const hebrewUnitPattern = `(?:ש[בלמ]|ו[בלמש]|[ובלמהש])?(?:${[...hebrew].filter((unit) => /^[א-ת]{2,}$/.test(unit)).join('|')})`

/** @param word with straight quotation marks and without points. */
export function isHebrewUnit(word: string): boolean {
  return hebrew.has(word) || hebrew.has(word.replace(prefixes, ''))
}
