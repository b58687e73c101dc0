import { withoutPrefixes } from '../../text/hebrew.ts'
import { plainEnglish } from '../../text/plain-english.ts'
import type { Token } from '../../text/tokens.ts'
import { hebrewSound, latinSound } from './sounds.ts'

export type NameWord = Pick<Token, 'term' | 'script'> & Partial<Pick<Token, 'abbreviated' | 'spellings'>>

/** Key of a word in a plain English name: its stem. Words of transliterated names are compared by sound. */
const stemKey = (term: string): string => `=${term}`

/** Key of the divine names with the same sound. In names, `ה'` equals `הוי'`. */
const tetragrammaton = 'יהוה'

/** Minimum letters of a later Hebrew word that may have or omit the article: `נפש אלהית`, `נפש האלהית`. */
const shortestWithArticle = 4

/** Minimum consonants of a name. With fewer, `in safe` would match `Ein Sof`. */
const minConsonants = 5

/** The keys of the words of a name in the vocabulary. */
export function keysOfName(words: readonly NameWord[]): readonly string[] {
  const sounds = words.map(({ term }) => latinSound(term).replace(/^a/, '')).join('')
  const isEnglish = sounds.length < minConsonants || words.some(({ term }) => plainEnglish.has(term))
  return words.map((word, at) => {
    if (word.script === 'he') return at === 0 ? hebrewKey(word.term) : laterHebrewKey(word.term)
    return isEnglish ? stemKey(word.term) : latinSound(word.term)
  })
}

/** Minimum letters of a numeral or abbreviation that may have a prefix: `בי"ט כסלו`. */
export const shortestAbbreviation = 2

/** The keys under which a word of a text may begin a name. Hebrew words may have prefixes. */
export function firstKeys(word: NameWord): readonly string[] {
  return withSpellings(word, keysAtFirst)
}

/** The keys of a word and of its other spellings, which only words of a query have. */
function withSpellings(word: NameWord, keysOf: (one: NameWord) => readonly string[]): readonly string[] {
  const { script, spellings } = word
  if (!spellings) return keysOf(word)
  return [...new Set([word, ...spellings.map((term) => ({ term, script }))].flatMap(keysOf))]
}

function keysAtFirst({ term, script, abbreviated }: NameWord): readonly string[] {
  if (script === 'en') return latinKeys(term)
  return withoutPrefixes(term, abbreviated ? shortestAbbreviation : undefined).map(hebrewKey)
}

/** The keys under which a word of a text may continue a name. */
export function laterKeys(word: NameWord): readonly string[] {
  return withSpellings(word, keysAfter)
}

function keysAfter({ term, script }: NameWord): readonly string[] {
  return script === 'he' ? [laterHebrewKey(term)] : latinKeys(term)
}

function hebrewKey(term: string): string {
  return term === 'הויה' ? tetragrammaton : hebrewSound(term)
}

function laterHebrewKey(term: string): string {
  const bare = term.startsWith('ה') && term.length >= shortestWithArticle && term !== 'הויה'
  return hebrewKey(bare ? term.slice(1) : term)
}

const latin = new Map<string, readonly string[]>()

/** Maximum cached words. Texts repeat the words after `the` and `of`. */
const rememberedWords = 20_000

function latinKeys(term: string): readonly string[] {
  const known = latin.get(term)
  if (known) return known
  if (latin.size >= rememberedWords) latin.clear()
  const keys = [stemKey(term), latinSound(term)]
  latin.set(term, keys)
  return keys
}
