import { fold } from './fold.ts'

/** Key of a heading. Headings that differ only in case, vowel points and punctuation have the same key. */
export function headingKey(heading: string): string {
  return fold(heading.replace(/['’`]/g, '')).folded
}

/**
 * Key that also ignores vowels, differences of transliteration, and the Hebrew article of each word but the first:
 * `מושגי חסידות` for `מושגי החסידות`. It is used for headings without an exact match.
 */
export function looseHeadingKey(heading: string): string {
  const [first = '', ...more] = headingKey(heading).split(' ')
  return `~${[looseWord(first), ...more.map(looseNextWord)].join(' ')}`
}

/** The first word of a title in the form of `looseHeadingKey`. Its article may be a letter of the word: `היכל`. */
export function looseWord(word: string): string {
  return /^[a-z]{4,}$/.test(word) ? consonants(word) : word.replace(/(?<=.)[וי](?=.)/g, '')
}

/** Another word of a title in the form of `looseHeadingKey`. Three letters must stay without the article. */
export function looseNextWord(word: string): string {
  return looseWord(word.replace(/^(ו?)ה+(?=[א-ת]{3})/, '$1'))
}

/**
 * A key without the articles of its Latin words but the first, to compare it with another one: `peri aretz` for
 * `Peri HaAretz` and `Peri Ha-Aretz`.
 */
export function withoutLatinArticles(key: string): string {
  return key.replace(/(?<=[a-z] )ha ?(?=[a-z]{4})/g, '')
}

/** Minimum consonants of a loose key. With fewer, `Room` would match `Rama`. */
const minConsonants = 3

function consonants(word: string): string {
  const spelled = word
    .replace(/ss$/, 's')
    .replace(/(?<=[aeiou])s$/, 't')
    .replace(/th$/, 't')
    .replace(/ch|kh/g, 'h')
    .replace(/tz|ts/g, 'z')
    .replace(/ck|[qc]/g, 'k')
    .replace(/ph/g, 'f')
    .replace(/w/g, 'v')
    .replace(/h$/, '')
  const bare = spelled.slice(0, 1) + singled(spelled.slice(1).replace(/[aeiouy]/g, ''))
  return bare.length >= minConsonants ? bare : singled(spelled.replace(/y/g, 'i'))
}

function singled(letters: string): string {
  return letters.replace(/(.)\1+/g, '$1')
}
