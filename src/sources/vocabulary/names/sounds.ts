/**
 * Rules that replace different transliterations by one letter, applied in this order: Ashkenazi and Sephardi sav and
 * holam, German and Polish digraphs, and the academic signs for ḥet, tsade and qof.
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

/** Marks that no rule above reads: points below and above letters, signs for ayin and alef. */
const marks = /[\p{M}\p{Cf}'’‘`ʾʿ"“”]/gu

/** Matches a final sav. Ashkenazim write it as s, and English stemming removes it. */
const lastSav = /(?<=[aeiou])(?:th|t|s)$/

/**
 * The sound of a transliterated word without vowels and spelling differences of consonants: `mesirus` and `mesirut`
 * are equal. It is used only within names of several words, where the other words prevent false matches.
 */
export function latinSound(word: string): string {
  const sound = withOneLetter(word)
  const first = /^[aeiou]/.test(sound) ? 'a' : sound.slice(0, 1)
  return (first + sound.slice(1).replace(/[aeiouy]/g, '')).replace(/(.)\1+/g, '$1')
}

/** Replaces each consonant by its standard spelling. */
function withOneLetter(word: string): string {
  const isPlain = /^[a-z]+$/.test(word)
  let sound = (isPlain ? word : word.normalize('NFC').toLowerCase()).replace(lastSav, '')
  for (const [written, letter] of latinRules) sound = sound.replace(written, letter)
  if (isPlain) return sound.replace(/(?<=.)h/g, '')
  // A digraph before h (`Yizhak`) looks like a digraph with h. Inside a word h is ignored.
  return sound
    .normalize('NFKD')
    .replace(marks, '')
    .replace(/(?<=.)h/g, '')
}

/** Rules for vowels: the spellings of kamatz, holam, tzere and shuruk, in Sephardi and Ashkenazi pronunciation. */
const vowels: readonly (readonly [RegExp, string])[] = [
  [/(?<=.)[aeo]$/, 'A'],
  [/ei|ey|ai|ay/g, 'E'],
  [/oo|ou|u/g, 'U'],
  [/oi|oy|[ao]+/g, 'A'],
  [/ee|ie|[iy]+/g, 'I'],
  [/e/g, 'E'],
]

/**
 * The sound of a transliterated word with its vowels: `neshomo` equals `neshamah`, `hisboydedus` equals `hitbodedut`.
 * Without vowels, a single word would match too many others.
 */
export function spokenSound(word: string): string {
  const sound = vowels.reduce((text, [written, vowel]) => text.replace(written, vowel), withOneLetter(word))
  return sound.replace(/(.)\1+/g, '$1')
}

/** Whether a word has a `c` that is `ts` in Polish and `k` elsewhere. Its sound and its spelling class are then unsure. */
export function hasAmbiguousC(word: string): boolean {
  return /c(?![hkc])/.test(word)
}

/** Minimum length of such a sound; shorter ones would match other words. */
const shortestYiddish = 4

/**
 * The sound of the stem of a name with the Yiddish ending `-es` for `-us` or `-ut`: `dveykes` for `dveikus`.
 * Undefined for other names.
 */
export function yiddishSound(word: string): string | undefined {
  const stem = /^(.*[^aeiou])u(?:s|th?)$/.exec(word)?.[1]
  const sound = stem === undefined ? undefined : spokenSound(stem)
  return sound !== undefined && sound.length >= shortestYiddish ? sound : undefined
}

const [vav, yod, alef, ayin] = [0x5d5, 0x5d9, 0x5d0, 0x5e2]
const shin = 'ש'.charCodeAt(0)
const zayin = 'ז'.charCodeAt(0)

/** Whether the sound of a Hebrew word leaves out this letter, which is neither its first nor its last. */
export function isSilent(word: string, at: number): boolean {
  const unit = word.charCodeAt(at)
  // Yiddish writes the sound zh as זש.
  if (unit === vav || unit === yod || unit === alef || unit === ayin) return true
  return unit === shin && word.charCodeAt(at - 1) === zayin
}

/**
 * The sound of a Hebrew or Yiddish word: without vowel letters inside it. Hebrew omits ו and י, and Yiddish adds א
 * and ע. Words with two or fewer remaining letters stay unchanged. It loops over letters instead of using a pattern,
 * because imports call it for each form of each word.
 * @param word in medial letters, without gershayim.
 */
export function hebrewSound(word: string): string {
  const last = word.length - 1
  let sound = word.charAt(0)
  for (let i = 1; i < last; i += 1) {
    if (!isSilent(word, i)) sound += word.charAt(i)
  }
  if (last > 0) sound += word.charAt(last)
  return sound.length > 2 ? sound : word
}
