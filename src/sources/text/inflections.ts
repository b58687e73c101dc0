import { withoutPrefixes } from './hebrew.ts'

/**
 * Classes of Hebrew inflections: `מידה`, `מדות` and `מדותיו` are in one class. This is light stemming (Larkey,
 * Ballesteros and Connell 2002, "Improving stemming for Arabic retrieval"): it removes endings by their letters,
 * without a dictionary. A class contains forms of several words, so a match by class counts less than the word
 * itself.
 */

/** Plural, construct and possessive endings after a feminine noun, longest first. */
const feminine =
  /(?:יותיהמ|ותיהמ|ותיכמ|ותינו|יותיו|ותיו|ותיה|ותיכ|ותי|ותמ|תנו|תכמ|תמ|יות|ות|תי|תו|תה|תכ|ית|ת|ה)$/

/** The same endings after a masculine noun, and endings of verbs. */
const masculine = /(?:יהמ|יכמ|ינו|ייא|תי|יו|יה|יכ|ימ|ינ|יא|נו|המ|כמ|ו|י|א|כ)$/

const hebrewLetters = /^[א-ת]+$/

/** Minimum letters of a stem. A class, which may end with the feminine ending, has one more. */
const minStem = 2
const minClass = 3

/**
 * First character of an inflection class. It distinguishes these from spelling classes, which contain only letters.
 */
const mark = '~'

/** Removes `ו` and `י` inside a stem, because their use depends on the spelling. */
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

/** The classes under which a term is indexed: one for each way to read its prefix. */
export function inflectionClasses(term: string): readonly string[] {
  if (!hebrewLetters.test(term)) return []
  const classes = new Set(withoutPrefixes(term).map(classOf))
  return [...classes].filter((one) => one.length >= minClass).map((one) => mark + one)
}

/** The classes to search for a query word: its own, and that of the other gender. */
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
