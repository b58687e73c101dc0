/** Unit words that precede a number in a ref. The resolver and the search for refs in texts share this list. */

const latin =
  'chapters chapter chap chs ch sections section sec essay paragraphs paragraph para torah lesson letter epistle perek perakim pasuk ' +
  'siman seif daf folio page pages pp p no verses verse vv'

export const latinUnits: ReadonlySet<string> = new Set(latin.split(' '))

/** Pattern of English units, with or without a dot, and of signs. Longer words come first. */
export const latinUnitPattern = `(?:(?:${latin
  .split(' ')
  .sort((a, b) => b.length - a.length)
  .join('|')})\\.?|[§#¶])`

/** Units that name a part when they precede the first number of a ref. Titles write that number in Roman letters. */
export const partWords: ReadonlySet<string> = new Set('part volume vol'.split(' '))

const hebrew = new Set(
  "פרק פרקים סימן סעיף אות תורה דף דפים עמוד עמודים פסקה אגרת הלכה משנה פסוק פסוקים מאמר דרוש פ פ' סי' סע' פיסקה שורה".split(
    ' ',
  ),
)

/** Prefixes of a Hebrew unit in a sentence: `בפרק`, `שבפרק`. */
const prefixes = /^(?:ש[בלמ]|ו[בלמש]|[ובלמהש])(?=[א-ת]{2})/

/** Pattern of a Hebrew unit of several letters, with an optional prefix. */
export const hebrewUnitPattern = `(?:ש[בלמ]|ו[בלמש]|[ובלמהש])?(?:${[...hebrew].filter((unit) => /^[א-ת]{2,}$/.test(unit)).join('|')})`

/** @param word with straight quotation marks and without vowel points. */
export function isHebrewUnit(word: string): boolean {
  return hebrew.has(word) || hebrew.has(word.replace(prefixes, ''))
}

/** Units below a chapter. The words of a row mean the same. */
const innerRows = [
  'verse verses vv pasuk פסוק פסוקים',
  'paragraph paragraphs para ¶ פסקה פיסקה',
  "section sec seif סעיף סע'",
  'אות',
  'הלכה',
  'משנה',
  'שורה',
  '§',
  '#',
]
const innerUnits: ReadonlyMap<string, string> = new Map(
  innerRows.flatMap((row) => row.split(' ').map((unit, _, units) => [unit, units[0] ?? unit] as const)),
)

/**
 * Returns the unit that a word means, if it is one below a chapter. Without a title, a number with such a unit is a
 * place within another ref.
 * @param word in lower case, with straight quotation marks and without vowel points.
 */
export function innerUnit(word: string): string | undefined {
  return innerUnits.get(word) ?? innerUnits.get(word.replace(prefixes, ''))
}

/** Whether a unit consists of paragraphs, if a text has both. */
export function isCoarseUnit(unit: string): boolean {
  return unit === 'section' || unit === 'אות'
}
