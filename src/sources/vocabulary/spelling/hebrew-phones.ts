/**
 * Reads a Yiddish name in Hebrew letters as phones, like those of transliterated words. Yiddish writes vowels as
 * letters, and towns have several spellings in both languages: `מעזביזש`, `מז'יבוז'`.
 */
const graphemes: readonly (readonly [written: string, phone: string])[] = [
  ['דזש', 'Z'],
  ['טש', 'C'],
  ['זש', 'Z'],
  ['וו', 'v'],
  ['יי', 'E'],
  ['א', 'A'],
  ['ב', 'b'],
  ['ג', 'g'],
  ['ד', 'd'],
  ['ה', 'h'],
  ['ו', 'U'],
  ['ז', 'z'],
  ['ח', 'H'],
  ['ט', 't'],
  ['י', 'I'],
  ['כ', 'H'],
  ['ל', 'l'],
  ['מ', 'm'],
  ['נ', 'n'],
  ['ס', 's'],
  ['ע', 'E'],
  ['פ', 'p'],
  ['צ', 'c'],
  ['ק', 'k'],
  ['ר', 'r'],
  ['ש', 'S'],
  ['ת', 't'],
]

const pattern = new RegExp(graphemes.map(([written]) => written).join('|'), 'g')

const phones = new Map(graphemes)

const vowels = /[AEIOU]/

/** @param word in medial letters, without gershayim. */
export function hebrewPhones(word: string): string {
  let read = ''
  for (const [part] of word.matchAll(pattern)) {
    const phone = phones.get(part) ?? ''
    const continues = vowels.test(phone) && vowels.test(read.slice(-1))
    if (!continues && !read.endsWith(phone)) read += phone
  }
  // A final he is a vowel: `איזביצה`.
  return read.length > 1 && read.endsWith('h') ? `${read.slice(0, -1)}A` : read
}
