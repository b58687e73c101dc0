import { medial } from './fold.ts'

/** Part of every index: raise it when normalising changes, so that the library is indexed anew. */
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

/** What is left of a word without a prefix must have this many letters, or it matches by accident. */
const shortestBase = 3

/**
 * The words of which `term` may be a form: itself first, then without one of its possible prefixes. All in medial
 * letters, as `tokens` makes them.
 */
export function withoutPrefixes(term: string): readonly string[] {
  if (!hebrewLetters.test(term)) return [term]
  const bases = [term]
  for (const prefix of prefixes) {
    if (prefix.length <= 2 && term.startsWith(prefix) && term.length - prefix.length >= shortestBase) {
      bases.push(term.slice(prefix.length))
    }
  }
  return bases
}

/** `base` with every prefix it can bear, itself not included. */
export function withPrefixes(base: string): readonly string[] {
  return hebrewLetters.test(base) ? prefixes.map((prefix) => prefix + base) : []
}

/**
 * The spelling class of a word: without ו and י inside it, which plene and defective spelling put in or leave out.
 * Undefined for words too short to be told apart by what remains.
 */
export function hebrewSkeleton(term: string): string | undefined {
  const skeleton = term.slice(0, 1) + term.slice(1, -1).replace(/[וי]/g, '') + term.slice(-1)
  return skeleton.length >= shortestBase ? skeleton : undefined
}

/** Lazy, or the letters of the Name itself would be taken for prefixes. */
const leading = '(?:[והבכלמשד]{0,2}?)'

/** Ways to write the Name without writing it; the points and hyphens are gone when these are tried. */
const nameForms = new RegExp(
  `^(${leading})(?:ה'|ד'|י'|יי|י"י|הוי'|הויה|הוי"ה|יהוה|ידוד|יקוק|השי"ת|השי'|השית)$`,
)

/** `אלקים` and `אלוקים` stand for `אלהים`, with every ending. */
const divine = new RegExp(`^(${leading}אל)ו?[קה](ימ|ות|ותו|ית|יי|יות|י|ינו|יכ|יכמ|יו|יהמ|א|אי)$`)

const hosts = new RegExp(`^(${leading})צבקות$`)

/**
 * The index term of one Hebrew word without points: joined across gershayim and with medial letters, divine names in
 * one form. `word` has straight quotes only.
 */
export function hebrewTerm(word: string): string {
  const name = nameForms.exec(word)
  if (name) return `${name[1] ?? ''}יהוה`
  const joined = medial(word.replace(/["']/g, ''))
  return joined.replace(divine, '$1ה$2').replace(hosts, '$1צבאות')
}
