import { withoutPrefixes } from './hebrew.ts'

/**
 * Classes of Hebrew inflections: `מידה`, `מדות` and `מדותיו` are in one class. This is light stemming (Larkey,
 * Ballesteros and Connell 2002, "Improving stemming for Arabic retrieval"): it removes endings by their letters,
 * without a dictionary. A class contains forms of several words, so a match by class counts less than the word
 * itself.
 */

const [alef, vav, yod] = [0x5d0, 0x5d5, 0x5d9]

/** Bits of a letter and letters of an ending, which fit into a number. */
const letterBits = 5
const longestEnding = 6

/** Plural, construct and possessive endings after a feminine noun. */
const feminine = endingsOf(
  'יותיהמ ותיהמ ותיכמ ותינו יותיו ותיו ותיה ותיכ ותי ותמ תנו תכמ תמ יות ות תי תו תה תכ ית ת ה',
)

/** The same endings after a masculine noun, and endings of verbs. */
const masculine = endingsOf('יהמ יכמ ינו ייא תי יו יה יכ ימ ינ יא נו המ כמ ו י א כ')

const hebrewLetters = /^[א-ת]+$/

/** Minimum letters of a stem. A class, which may end with the feminine ending, has one more. */
const minStem = 2
const minClass = 3

/**
 * First character of an inflection class. It distinguishes these from spelling classes, which contain only letters.
 */
const mark = '~'

/** Endings as numbers, made of their letters from the last one on. Patterns take ten times as long. */
function endingsOf(list: string): ReadonlySet<number> {
  return new Set(
    list.split(' ').map((ending) => [...ending].reduceRight((key, _, at) => withLetter(key, ending, at), 0)),
  )
}

/** Adds the letter of a word at `at` to the number of the letters after it. */
function withLetter(key: number, word: string, at: number): number {
  return key | ((word.charCodeAt(at) - alef + 1) << (letterBits * (word.length - 1 - at)))
}

/** Number of letters of the longest of these endings that a word has; 0 if it has none. */
function endingOf(word: string, endings: ReadonlySet<number>): number {
  let longest = 0
  let key = 0
  const first = Math.max(0, word.length - longestEnding)
  for (let at = word.length - 1; at >= first; at -= 1) {
    key = withLetter(key, word, at)
    if (endings.has(key)) longest = word.length - at
  }
  return longest
}

/** Removes `ו` and `י` inside a stem, because their use depends on the spelling. */
function bare(stem: string): string {
  let kept = ''
  let from = 0
  for (let at = 1; at < stem.length; at += 1) {
    const unit = stem.charCodeAt(at)
    if (unit !== vav && unit !== yod) continue
    kept += stem.slice(from, at)
    from = at + 1
  }
  return kept + stem.slice(from)
}

/** The class of one word without prefixes, in medial letters. A feminine stem ends with `ה`. */
function classOf(word: string): string {
  return stemOf(word, feminine, 'ה') ?? stemOf(word, masculine, '') ?? bare(word)
}

/** A word without its ending, with `sign` instead; undefined if it has no ending, or if too few letters remain. */
function stemOf(word: string, endings: ReadonlySet<number>, sign: string): string | undefined {
  const ending = endingOf(word, endings)
  if (ending === 0) return undefined
  const stem = bare(word.slice(0, -ending))
  return stem.length >= minStem ? stem + sign : undefined
}

/** The classes under which a term is indexed: one for each way to read its prefix. */
export function inflectionClasses(term: string): readonly string[] {
  if (!hebrewLetters.test(term)) return []
  const classes: string[] = []
  for (const word of withoutPrefixes(term)) {
    const one = classOf(word)
    if (one.length >= minClass && !classes.includes(mark + one)) classes.push(mark + one)
  }
  return classes
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
