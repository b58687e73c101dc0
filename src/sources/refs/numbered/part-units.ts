import { headingKey } from '../../text/heading-keys.ts'

/** Units by which the headings of a book are numbered. The words of a row mean the same. */
const rows = [
  'chapter chapters chap ch chs perek perakim kapitel פרק פרקים פ קאפיטל',
  'letter letters epistle epistles iggeret igeret iggeres igeres mikhtav michtav אגרת איגרת מכתב',
  'part parts pt volume vol chelek helek cheilek חלק כרך',
  'book',
  'gate gates shaar שער',
  'section sec seif סעיף',
  'siman simanim סימן סי',
  'discourse maamar essay article מאמר',
  'talk sichah sicha שיחה',
  'story tale maaseh maase מעשה סיפור ספור',
  'lesson torah תורה',
  'homily derush drush דרוש',
  'saying ot אות',
  'paragraph para פסקה פיסקה',
  'note הערה',
  'leaf daf folio fol דף',
  'no nr num number מספר',
]
const units: ReadonlyMap<string, string> = new Map(
  rows.flatMap((row) => row.split(' ').map((unit, _, all) => [headingKey(unit), all[0] ?? unit] as const)),
)

const names: ReadonlySet<string> = new Set(units.values())

/** Units that only count. A number with one of them may be that of any part: `siman 3` for `Letter 3`. */
const counting: ReadonlySet<string> = new Set(['no', 'siman', 'saying', 'section', 'paragraph', 'note'])

/** Prefixes of a Hebrew unit in a sentence: `בפרק`, `שבפרק`. */
const prefix = /^(?:ש[בלמ]|ו[בלמש]|[ובלמהש])(?=[א-ת]{2})/

/**
 * Returns the unit that a word means, as the first word of its row. Undefined for other words.
 * @param word in the form of `headingKey`.
 */
export function partUnit(word: string): string | undefined {
  return units.get(word) ?? units.get(word.replace(prefix, ''))
}

export function isCountingUnit(unit: string): boolean {
  return counting.has(unit)
}

const large: ReadonlySet<string> = new Set(['part', 'book'])

/** Whether a unit is above a chapter. */
export function isLargeUnit(unit: string): boolean {
  return large.has(unit)
}

/** Units above a chapter, and leaves. Such a number is never that of another unit: part 2 is no chapter 2. */
const apart: ReadonlySet<string> = new Set([...large, 'leaf'])

/** Whether a unit is known and may stand for another one, as people name `Letter 3` chapter 3. */
export function mayBeOtherUnit(unit: string): boolean {
  return isKnownUnit(unit) && !apart.has(unit)
}

/** @param unit as `partUnit` returns it, or another word. A weekly portion has none of these. */
export function isKnownUnit(unit: string): boolean {
  return names.has(unit)
}
