import { readFileSync } from 'node:fs'
import { medial } from './fold.ts'
import { lazy } from './lazy.ts'

const hebrewLetters = /^[א-ת]+$/

/** Function words. They are too frequent to find anything, and no question is about them. */
const functionWords = new Set(
  `של על אל את אם או כי לא אין יש הוא היא הם הן הנה זה זו זאת אלו אלה אני אנו אתה כל גם רק אך אף עד עם מן כמו אשר
  לו לה לי לך לנו להם לכם בו בה בי בהם ממנו ממנה אותו אותה אותם היה היתה היו יהיה תהיה להיות והוא והיא וזה וזהו
  מה מי איך איזה מדוע למה כיצד היכן איפה מתי האם לפי אצל בין תחת אחר אחרי לפני כן כך לכן אבל אלא אלא הרי הלא
  וכו כו וגו וכולי דהיינו כדי בכדי לפיכך שהוא שהיא שהם שאין שלא ולא ואין וגם כגון היינו דאם דלא דהא הא
  פירוש ענין הענין בענין מאד יותר פחות אמר ואמר אומר שם`
    .split(/\s+/)
    .map(medial),
)

export function isHebrewStopWord(term: string): boolean {
  return functionWords.has(term)
}

/** Prefixes of one letter, and the pairs that occur; Aramaic ones with ד. */
const prefixes = [
  ...'והבכלמשד',
  ...'וה וב וכ ול ומ וש וד שה שב של שכ שמ מה מש כש דה דב דל דכ'.split(' '),
  ...'וכש ושה ושב ומה לכש'.split(' '),
]

const anyPrefix = new Set(prefixes)

/** Prefixes that `withoutPrefixes` removes have at most so many letters. */
export const longestSplit = 2

export const longestPrefix = prefixes.reduce((most, prefix) => Math.max(most, prefix.length), 0)

/** Minimum letters of a word without its prefix. Shorter rests match by accident. */
const shortestBase = 3

/**
 * Nouns of two letters, each with the words that only look like the noun with a prefix: `short-nouns.tsv` has a noun, a
 * tab, and these words separated by `|`.
 */
const shortNouns = lazy((): ReadonlyMap<string, readonly string[]> => {
  const text = readFileSync(new URL('./short-nouns.tsv', import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const [noun = '', others = ''] = line.split('\t').map(medial)
      return [noun, others === '' ? [] : others.split('|')]
    }),
  )
})

/**
 * Returns the words of which `term` may be a form: the term itself, then the term without each possible prefix. All
 * in medial letters, as `tokens` makes them.
 * @param shortest minimum number of letters that remain.
 */
export function withoutPrefixes(term: string, shortest = shortestBase): readonly string[] {
  if (!hebrewLetters.test(term)) return [term]
  const bases = [term]
  const longest = Math.min(longestSplit, term.length - shortest)
  for (let length = 1; length <= longest; length += 1)
    if (anyPrefix.has(term.slice(0, length))) bases.push(term.slice(length))
  return bases
}

/** Like `withoutPrefixes`, for words of a query: a known noun of two letters remains too, as `נר` of `לנר`. */
export function basesOf(term: string): readonly string[] {
  const bases = withoutPrefixes(term)
  const noun = term.slice(-2)
  const others = shortNouns().get(noun)
  const isNoun = others?.every((other) => !term.endsWith(other)) === true
  return isNoun && term.length > 2 && anyPrefix.has(term.slice(0, -2)) ? [...bases, noun] : bases
}

/** Returns `base` with every possible prefix, without `base` itself. */
export function withPrefixes(base: string): readonly string[] {
  return hebrewLetters.test(base) ? prefixes.map((prefix) => prefix + base) : []
}

const prefixLetters = new Set(prefixes.flatMap((prefix) => [...prefix]).map((letter) => letter.charCodeAt(0)))

/** Whether `found` is true for a term or for the term without its first letters, as long as these occur in prefixes. */
export function someWithoutPrefix(term: string, longest: number, found: (from: number) => boolean): boolean {
  if (found(0)) return true
  for (let from = 1; from <= longest && from < term.length; from += 1) {
    if (!prefixLetters.has(term.charCodeAt(from - 1))) return false
    if (found(from)) return true
  }
  return false
}

/** Returns a word without each of its possible prefixes, however short the rest is. */
export function splitPrefixes(term: string): readonly string[] {
  const rests: string[] = []
  if (!hebrewLetters.test(term)) return rests
  for (let length = 1; length <= longestPrefix && length < term.length; length += 1) {
    if (anyPrefix.has(term.slice(0, length))) rests.push(term.slice(length))
  }
  return rests
}

/**
 * The spelling class of a word: without ו and י inside it, which full and defective spelling add or omit. Undefined
 * for words that would be too short.
 */
export function hebrewSkeleton(term: string): string | undefined {
  const inside = term.slice(1, -1)
  const isFull = inside.includes('ו') || inside.includes('י')
  const skeleton = isFull ? term.slice(0, 1) + inside.replace(/[וי]/g, '') + term.slice(-1) : term
  return skeleton.length >= shortestBase ? skeleton : undefined
}

/** Matches prefixes. It is lazy, because otherwise letters of the Name would match as prefixes. */
const leading = '(?:[והבכלמשד]{0,2}?)'

/**
 * Matches the Name as it is spoken, letter by letter or as `Havayah`, and the substitutes that stand for God. These
 * are two index terms. Points and hyphens are already removed.
 */
const nameForms = new RegExp(
  `^(${leading})(?:(הוי'|הויה|הוי"ה|הוי'ה|יהוה|יהו"ה|ידוד|ידו"ד|יקוק|יקו"ק)|ה'|ד'|י'|יי|י"י|השי"ת|השי'|השית)$`,
)

/** `אלקים` and `אלוקים` become `אלהים`, with every ending. */
const divine = new RegExp(`^(${leading}אל)ו?[קה](ימ|ות|ותו|ית|יי|יות|י|ינו|יכ|יכמ|יו|יהמ|א|אי)$`)

const otherNames: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^(${leading})צבקות$`), '$1צבאות'],
  [new RegExp(`^(${leading})אלו[הק]$`), '$1אלוה'],
  [new RegExp(`^(${leading})אקיה$`), '$1אהיה'],
  [new RegExp(`^(${leading})אדנות$`), '$1אדני'],
]

const mayBeOtherName = /(?:צבקות|אלו[הק]|אקיה|אדנות)$/

/** The ends of the forms without quotation marks. Most words have none, and the pattern takes longer. */
const nameEnds = ['ויה', 'הוה', 'דוד', 'קוק', 'יי', 'שית']

const mayBeName = (word: string): boolean => nameEnds.some((end) => word.endsWith(end)) || /["']/.test(word)

function withDivineName(word: string): string {
  const at = word.indexOf('אל')
  return at >= 0 && at <= longestSplit ? word.replace(divine, '$1ה$2') : word
}

/** Matches `א-ל`. Without its hyphen it would be the word for "to". */
const hyphenedEl = new RegExp(`^(${leading})ה?א-ל$`)

/**
 * The index term of one Hebrew word without points: joined across gershayim, in medial letters, each divine name in
 * its own form. `word` has straight quotes and hyphens.
 */
export function hebrewTerm(word: string): string {
  const el = word.includes('-') ? hyphenedEl.exec(word) : null
  if (el) return `${el[1] ?? ''}האל`
  const written = word.includes('-') ? word.replace(/-/g, '') : word
  const name = mayBeName(written) ? nameForms.exec(written) : null
  if (name) return `${name[1] ?? ''}${name[2] === undefined ? 'יהוה' : 'הויה'}`
  const joined = withDivineName(medial(/["']/.test(written) ? written.replace(/["']/g, '') : written))
  if (!mayBeOtherName.test(joined)) return joined
  return otherNames.reduce((term, [form, name]) => term.replace(form, name), joined)
}
