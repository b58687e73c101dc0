/**
 * What ways of transliterating Hebrew and Yiddish write differently, as one letter, in this order: Ashkenazi and
 * Sephardi sav and holam, German and Polish digraphs, and the academic signs for ḥet, tsade and qof.
 */
const latinRules: readonly (readonly [RegExp, string])[] = [
  [/tzsch|tsch|tch|tsh|cz|tš|č/g, 'C'],
  [/sch|sh|š|ş/g, 'S'],
  [/dzh|zh|dz|tz|ts|ṣ|ž/g, 'z'],
  [/ch|kh|ḥ/g, 'h'],
  [/ck|[qc]/g, 'k'],
  [/ph/g, 'f'],
  [/w/g, 'v'],
  [/j/g, 'y'],
  [/th|(?<=.)s/g, 't'],
]

/** Marks that no rule above knows: points below and above letters, ayin and alef as signs. */
const marks = /[\p{M}\p{Cf}'’‘`ʾʿ"“”]/gu

/** A sav at the end, which Ashkenazim write as s and the stem of an English word loses. */
const lastSav = /(?<=[aeiou])(?:th|t|s)$/

/**
 * What stays of a transliterated word when vowels and the ways of writing a consonant are left out: `mesirus` and
 * `mesirut` are one. Words are compared by it within names alone, where the words beside it keep chance meetings away.
 */
export function latinSound(word: string): string {
  const sound = withOneLetter(word)
  const first = /^[aeiou]/.test(sound) ? 'a' : sound.slice(0, 1)
  return (first + sound.slice(1).replace(/[aeiouy]/g, '')).replace(/(.)\1+/g, '$1')
}

/** Each consonant in one way of writing it. */
function withOneLetter(word: string): string {
  let sound = word.normalize('NFC').toLowerCase().replace(lastSav, '')
  for (const [written, letter] of latinRules) sound = sound.replace(written, letter)
  // A digraph before h, as in `Yizhak`, looks like one with it: within a word h says nothing.
  return sound
    .normalize('NFKD')
    .replace(marks, '')
    .replace(/(?<=.)h/g, '')
}

/** Vowels by what a kamatz, a holam, a tzere or a shuruk is written as, in Sephardic and Ashkenazi pronunciation. */
const vowels: readonly (readonly [RegExp, string])[] = [
  [/(?<=.)[aeo]$/, 'A'],
  [/ei|ey|ai|ay/g, 'E'],
  [/oo|ou|u/g, 'U'],
  [/oi|oy|[ao]+/g, 'A'],
  [/ee|ie|[iy]+/g, 'I'],
  [/e/g, 'E'],
]

/**
 * The sound of a transliterated word by itself, with its vowels: `neshomo` and `neshamah` are one, as are `hisboydedus`
 * and `hitbodedut`. Without vowels a single word would meet too many others.
 */
export function spokenSound(word: string): string {
  const sound = vowels.reduce((text, [written, vowel]) => text.replace(written, vowel), withOneLetter(word))
  return sound.replace(/(.)\1+/g, '$1')
}

/** A shorter sound would be met by other words. */
const shortestYiddish = 4

/**
 * The sound of the stem of a name that Yiddish ends with `-es` for `-us` or `-ut`: `dveykes` for `dveikus`. The stem of
 * an English word has lost that ending. Undefined for other names.
 */
export function yiddishSound(word: string): string | undefined {
  const stem = /^(.*[^aeiou])u(?:s|th?)$/.exec(word)?.[1]
  const sound = stem === undefined ? undefined : spokenSound(stem)
  return sound !== undefined && sound.length >= shortestYiddish ? sound : undefined
}

const vowelLetters = 'ויאע'

/**
 * What stays of a Hebrew or Yiddish word: without the vowel letters inside it, of which Hebrew leaves out ו and י, and
 * Yiddish adds א and ע. Words of which two letters stay or fewer are left as they are. It looks at each letter once,
 * since an import asks for each form of each word.
 *
 * @param word in medial letters, without gershayim.
 */
export function hebrewSound(word: string): string {
  const last = word.length - 1
  let sound = word.charAt(0)
  for (let i = 1; i < last; i += 1) {
    const letter = word.charAt(i)
    // Yiddish writes zh as זש.
    if (vowelLetters.includes(letter) || (letter === 'ש' && word.charAt(i - 1) === 'ז')) continue
    sound += letter
  }
  if (last > 0) sound += word.charAt(last)
  return sound.length > 2 ? sound : word
}
