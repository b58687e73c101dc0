/**
 * Reads a transliterated word as phones, one letter each. Polish, German, Yiddish and academic spellings of a consonant
 * become the same phone, or phones that `sound-distance` compares cheaply:
 * `C` tsh, `S` sh, `Z` zh, `c` tsade, `H` ḥet, `K` an ambiguous c, `A E I O U` vowels or runs of vowels.
 */
const graphemes: readonly (readonly [written: string, phone: string])[] = [
  ['tzsch', 'C'],
  ['tsch', 'C'],
  ['tch', 'C'],
  ['tsh', 'C'],
  ['dzh', 'Z'],
  ['sch', 'S'],
  ['cz', 'C'],
  ['sh', 'S'],
  ['sz', 'S'],
  ['zh', 'Z'],
  ['tz', 'c'],
  ['ts', 'c'],
  ['ch', 'H'],
  ['kh', 'H'],
  ['ck', 'k'],
  ['ph', 'f'],
  ['th', 't'],
  ['c', 'K'],
  ['x', 'H'],
  ['q', 'k'],
  ['w', 'v'],
  ['j', 'y'],
]

/** Matches one grapheme, one run of vowels, or one other letter. */
const pattern = new RegExp(`${graphemes.map(([written]) => written).join('|')}|[aeiouy]+|[a-z]`, 'g')

const phones = new Map(graphemes)

/** Matches a `y` or `j` that begins a syllable at the beginning of a word. */
const consonantalY = /^[yj](?=[aeiou])/

/** @param word in lower-case letters from a to z. */
export function latinPhones(word: string): string {
  const first = consonantalY.test(word) ? 'y' : ''
  const rest = first === '' ? word : word.slice(1)
  let read = first
  for (const [part] of rest.matchAll(pattern)) {
    const phone = phones.get(part) ?? (/[aeiouy]/.test(part) ? vowelOf(part) : part)
    if (!read.endsWith(phone)) read += phone
  }
  // A final h only marks the vowel before it.
  return read.replace(/(?<=[AEIOU])h$/, '')
}

/** A run of vowels counts as its first one. `oo` and `ou` are another spelling of `u`. */
function vowelOf(run: string): string {
  if (run === 'oo' || run === 'ou') return 'U'
  const first = run.charAt(0).toUpperCase()
  return first === 'Y' ? 'I' : first
}
