import { fold } from './fold.ts'

/** Headings that differ only in case, points and punctuation have one key. */
export function headingKey(heading: string): string {
  return fold(heading.replace(/['’`]/g, '')).folded
}

/** A key that also ignores vowels and the ways of transliterating: for headings that no exact key finds. */
export function looseHeadingKey(heading: string): string {
  const words = headingKey(heading)
    .split(' ')
    .map((word) => (/^[a-z]{4,}$/.test(word) ? consonants(word) : word.replace(/(?<=.)[וי](?=.)/g, '')))
  return `~${words.join(' ')}`
}

/** Fewer consonants than this say too little: `Room` would be `Rama`. */
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
