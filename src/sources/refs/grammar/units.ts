import { readFileSync } from 'node:fs'
import { headingKey } from '../../text/heading-keys.ts'

/**
 * What a unit is in a ref. `heads`: headings of works are numbered by it. `place`: with a number it names a place even
 * beside a title that is also a word. `title`: it may follow a title that nobody knows. `counted`: an ordinal may stand
 * before it. `counting`: it only counts, so its number may be that of any part. `inner`: below a chapter. `coarse`: it
 * has paragraphs. `large`: above a chapter. `leaf` and `page`: it divides the printed book and not the text.
 */
type Role =
  | 'heads'
  | 'place'
  | 'title'
  | 'counted'
  | 'counting'
  | 'inner'
  | 'coarse'
  | 'large'
  | 'leaf'
  | 'page'

/** A unit of addresses, as a row of `units.tsv` has it. */
type Unit = { readonly id: string; readonly roles: ReadonlySet<Role> }

const rows = readFileSync(new URL('./units.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [id = '', roles = '', words = '', headingWords = ''] = line.split('\t')
    const unit: Unit = { id, roles: new Set(roles.split(' ') as Role[]) }
    const list = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '')
    return { unit, words: list(words), headingWords: list(headingWords) }
  })

/** Units before a number in any text. */
const inText: ReadonlyMap<string, Unit> = new Map(
  rows.flatMap(({ unit, words }) => words.map((word) => [word, unit] as const)),
)
/** All units, in the form of `headingKey`. */
const byKey: ReadonlyMap<string, Unit> = new Map(
  rows.flatMap(({ unit, words, headingWords }) =>
    [...words, ...headingWords].map((word) => [headingKey(word), unit] as const),
  ),
)
const byId: ReadonlyMap<string, Unit> = new Map(rows.map(({ unit }) => [unit.id, unit]))

export const latinUnits: ReadonlySet<string> = new Set(
  [...inText.keys()].filter((word) => /^[a-z]/.test(word)),
)

/** Units that name a part when they precede the first number of a ref. Titles write that number in Roman letters. */
export const partWords: ReadonlySet<string> = new Set('part pt volume vol'.split(' '))

/** Prefixes of a Hebrew unit in a sentence: `בפרק`, `שבפרק`. */
const prefixes = /^(?:ש[בלמ]|ו[בלמש]|[ובלמהש])(?=[א-ת]{2})/

function find(units: ReadonlyMap<string, Unit>, word: string): Unit | undefined {
  return units.get(word) ?? units.get(word.replace(prefixes, ''))
}

/** @param word with straight quotation marks and without vowel points. */
export function isHebrewUnit(word: string): boolean {
  return /^[א-ת]/.test(word) && find(inText, word) !== undefined
}

/**
 * Whether a word is a unit with this role.
 * @param word in lower case, as written or in the form of `headingKey`.
 */
export function hasUnitRole(word: string, role: Role): boolean {
  return (find(inText, word) ?? find(byKey, word))?.roles.has(role) === true
}

/** The unit that a word means, in a text or in a heading, as the first column of `units.tsv`. */
export function unitOf(word: string): string | undefined {
  return (find(inText, word) ?? find(byKey, word))?.id
}

/** Whether a word is a unit. */
export function isUnit(key: string): boolean {
  return unitOf(key) !== undefined
}

/**
 * Returns the unit that a word means, if it is one below a chapter. Without a title, a number with such a unit is a
 * place within another ref.
 * @param word in lower case, with straight quotation marks and without vowel points.
 */
export function innerUnit(word: string): string | undefined {
  const unit = find(inText, word)
  return unit?.roles.has('inner') ? unit.id : undefined
}

/**
 * Returns the unit by which headings are numbered that a word means.
 * @param word in the form of `headingKey`.
 */
export function partUnit(word: string): string | undefined {
  const unit = find(byKey, word)
  return unit?.roles.has('heads') ? unit.id : undefined
}

/** Whether a unit of `innerUnit` or `partUnit` has a role. */
export function isUnitOf(id: string, role: Role): boolean {
  return byId.get(id)?.roles.has(role) === true
}

/** Whether a unit is known and may stand for another one, as people name `Letter 3` chapter 3. Part 2 is no chapter 2. */
export function mayBeOtherUnit(id: string): boolean {
  return isUnitOf(id, 'heads') && !isUnitOf(id, 'large') && !isUnitOf(id, 'leaf')
}
