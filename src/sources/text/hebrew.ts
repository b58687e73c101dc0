import { medial } from './fold.ts'

const hebrewLetters = /^[א-ת]+$/

/** Function words: too common to find anything by, and never what a question is about. */
const functionWords = new Set(
  `של על אל את אם או כי לא אין יש הוא היא הם הן הנה זה זו זאת אלו אלה אני אנו אתה כל גם רק אך אף עד עם מן כמו אשר
  לו לה לי לך לנו להם לכם בו בה בי בהם ממנו ממנה אותו אותה אותם היה היתה היו יהיה תהיה להיות והוא והיא וזה וזהו
  מה מי איך איזה מדוע למה כיצד היכן איפה מתי האם לפי אצל בין תחת אחר אחרי לפני כן כך לכן אבל אלא אלא הרי הלא
  וכו כו וגו וכולי דהיינו כדי בכדי לפיכך שהוא שהיא שהם שאין שלא ולא ואין וגם כגון היינו דאם דלא דהא הא
  פירוש ענין הענין בענין מאד יותר פחות אמר ואמר אומר שם`
    .split(/\s+/)
    .map(medial),
)

export function isHebrewFunctionWord(term: string): boolean {
  return functionWords.has(term)
}

/** Letters that lean on the word after them, alone and in the pairs that occur; Aramaic ones with ד. */
const prefixes = [
  ...'והבכלמשד',
  ...'וה וב וכ ול ומ וש וד שה שב של שכ שמ מה מש כש דה דב דל דכ'.split(' '),
  ...'וכש ושה ושב ומה לכש'.split(' '),
]

const longestPrefix = prefixes.reduce((most, prefix) => Math.max(most, prefix.length), 0)

/** What is left of a word without a prefix must have this many letters, or it matches by accident. */
const shortestBase = 3

/**
 * The words of which `term` may be a form: itself first, then without one of its possible prefixes. All in medial
 * letters, as `tokens` makes them.
 *
 * @param shortest letters that must be left.
 */
export function withoutPrefixes(term: string, shortest = shortestBase): readonly string[] {
  if (!hebrewLetters.test(term)) return [term]
  const bases = [term]
  for (const prefix of prefixes) {
    if (prefix.length <= 2 && term.startsWith(prefix) && term.length - prefix.length >= shortest) {
      bases.push(term.slice(prefix.length))
    }
  }
  return bases
}

/** `base` with every prefix it can bear, itself not included. */
export function withPrefixes(base: string): readonly string[] {
  return hebrewLetters.test(base) ? prefixes.map((prefix) => prefix + base) : []
}

const anyPrefix = new Set(prefixes)

/** What is left of a word, however short, without each prefix that it may bear. */
export function splitPrefixes(term: string): readonly string[] {
  const rests: string[] = []
  if (!hebrewLetters.test(term)) return rests
  for (let length = 1; length <= longestPrefix && length < term.length; length += 1) {
    if (anyPrefix.has(term.slice(0, length))) rests.push(term.slice(length))
  }
  return rests
}

/**
 * The spelling class of a word: without ו and י inside it, which plene and defective spelling put in or leave out.
 * Undefined for words too short to be distinct by what remains.
 */
export function hebrewSkeleton(term: string): string | undefined {
  const skeleton = term.slice(0, 1) + term.slice(1, -1).replace(/[וי]/g, '') + term.slice(-1)
  return skeleton.length >= shortestBase ? skeleton : undefined
}

/** Lazy, or the letters of the Name itself would be taken for prefixes. */
const leading = '(?:[והבכלמשד]{0,2}?)'

/**
 * The Name as it is spoken of, letter by letter or as `Havayah`, and ways to write it without saying it, which stand
 * for God: two words. The points and hyphens are gone when these are tried.
 */
const nameForms = new RegExp(
  `^(${leading})(?:(הוי'|הויה|הוי"ה|הוי'ה|יהוה|יהו"ה|ידוד|ידו"ד|יקוק|יקו"ק)|ה'|ד'|י'|יי|י"י|השי"ת|השי'|השית)$`,
)

/** `אלקים` and `אלוקים` stand for `אלהים`, with every ending. */
const divine = new RegExp(`^(${leading}אל)ו?[קה](ימ|ות|ותו|ית|יי|יות|י|ינו|יכ|יכמ|יו|יהמ|א|אי)$`)

const otherNames: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^(${leading})צבקות$`), '$1צבאות'],
  [new RegExp(`^(${leading})אלו[הק]$`), '$1אלוה'],
  [new RegExp(`^(${leading})אקיה$`), '$1אהיה'],
  [new RegExp(`^(${leading})אדנות$`), '$1אדני'],
]

const mayBeOtherName = /(?:צבקות|אלו[הק]|אקיה|אדנות)$/

/** `א-ל`: without its hyphen it would be the word for `to`. */
const hyphenedEl = new RegExp(`^(${leading})ה?א-ל$`)

/**
 * The index term of one Hebrew word without points: joined across gershayim and with medial letters, each divine name
 * in one form of its own. `word` has straight quotes and hyphens only.
 */
export function hebrewTerm(word: string): string {
  const el = word.includes('-') ? hyphenedEl.exec(word) : null
  if (el) return `${el[1] ?? ''}האל`
  const written = word.includes('-') ? word.replace(/-/g, '') : word
  const name = nameForms.exec(written)
  if (name) return `${name[1] ?? ''}${name[2] === undefined ? 'יהוה' : 'הויה'}`
  const joined = medial(written.replace(/["']/g, '')).replace(divine, '$1ה$2')
  if (!mayBeOtherName.test(joined)) return joined
  return otherNames.reduce((term, [form, name]) => term.replace(form, name), joined)
}
