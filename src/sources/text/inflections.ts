import { withoutPrefixes } from './hebrew.ts'

/**
 * Classes of Hebrew inflections: `מידה`, `מדות` and `מדותיו` are one class. A light stemmer in the sense of Larkey,
 * Ballesteros and Connell (2002, "Improving stemming for Arabic retrieval"): endings are cut off by their letters, without
 * a dictionary. Classes are wider than the inflections of one word, so a form from the class counts less than the word.
 */

/** Plural, construct and possessive endings after a feminine noun; the longest first. */
const feminine =
  /(?:יותיהמ|ותיהמ|ותיכמ|ותינו|יותיו|ותיו|ותיה|ותיכ|ותי|ותמ|תנו|תכמ|תמ|יות|ות|תי|תו|תה|תכ|ית|ת|ה)$/

/** The same after a masculine noun, and endings of verbs. */
const masculine = /(?:יהמ|יכמ|ינו|ייא|תי|יו|יה|יכ|ימ|ינ|יא|נו|המ|כמ|ו|י|א|כ)$/

const hebrewLetters = /^[א-ת]+$/

/** A stem must keep this many letters; a class, which can end with the sign of the feminine, one more. */
const minStem = 2
const minClass = 3

/** Marks a class among the spelling classes, which consist of letters only. */
const mark = '~'

/** `ו` and `י` inside a stem come and go with the spelling. */
function bare(stem: string): string {
  return stem.slice(0, 1) + stem.slice(1).replace(/[וי]/g, '')
}

/** The class of one word without prefixes, in medial letters. A feminine stem ends with `ה`. */
function classOf(word: string): string {
  for (const [ending, sign] of [
    [feminine, 'ה'],
    [masculine, ''],
  ] as const) {
    const stem = word.replace(ending, '')
    if (stem !== word && bare(stem).length >= minStem) return bare(stem) + sign
  }
  return bare(word)
}

/** The classes that a term of the index is kept under, one for each way to read its prefix. */
export function inflectionClasses(term: string): readonly string[] {
  if (!hebrewLetters.test(term)) return []
  const classes = new Set(withoutPrefixes(term).map(classOf))
  return [...classes].filter((one) => one.length >= minClass).map((one) => mark + one)
}

/** The classes in which inflections of a word of a query are found: its own, and that of the other gender. */
export function classesToSearch(word: string): readonly string[] {
  return [
    ...new Set(
      inflectionClasses(word).flatMap((one) => {
        const other = one.endsWith('ה') ? one.slice(0, -1) : `${one}ה`
        return other.length > minClass ? [one, other] : [one]
      }),
    ),
  ]
}
