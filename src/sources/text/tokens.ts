import { englishStem, isEnglishStopWord, transliterationSkeleton } from './english.ts'
import { hebrewSkeleton, hebrewTerm, isHebrewStopWord } from './hebrew.ts'
import { TextWords } from './text-words.ts'
import { TokenCache } from './token-cache.ts'

/** The script decides which rules apply. `he` is every language in Hebrew letters, `en` every other one. */
export type Script = 'he' | 'en'

export type Token = {
  /** The normalised word. Texts and queries are normalised in the same way. */
  readonly term: string
  readonly script: Script
  /** Whether it has gershayim or a geresh, like an abbreviation. */
  readonly abbreviated: boolean
  /** Range of the word in the text, in UTF-16 units. */
  readonly start: number
  readonly end: number
  /** Other spellings of a word of a query that nothing is known about, as index terms. */
  readonly spellings?: readonly string[]
}

/** A term of a text, a query or a name, with its script. */
export type ScriptTerm = Pick<Token, 'term' | 'script'>

export function otherScript(script: Script): Script {
  return script === 'he' ? 'en' : 'he'
}

/**
 * Increase it whenever this code changes the terms of a text or the keys of headings. It is part of the version of the
 * index, see `termsVersion`. Changes of tables need no increase.
 */
export const normaliserVersion = 12

const hebrewLetter = /[\u05d0-\u05ea\ufb1d-\ufb4f]/

/** The properties of a word that do not depend on its position. */
export type Word = Pick<Token, 'term' | 'script' | 'abbreviated'> & {
  /** False for function words. They count in lengths and phrases, but they are not indexed and not searched. */
  readonly isStopWord: boolean
  readonly counted: {
    /** Cache: names of the vocabulary that begin with it; `null` for none. */
    names: object | null | undefined
    /** Cache: phrases that may begin with it. */
    phrases: object | undefined
  }
}

/** Splits a text into words, in order, with their positions. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  scanned.read(text)
  for (let i = 0; i < scanned.count; i += 1) {
    const { term, script, abbreviated } = words.of(text, scanned, i, normaliseWord)
    const [start, end] = [scanned.starts[i] as number, scanned.ends[i] as number]
    if (term !== '') tokens.push({ term, script, abbreviated, start, end })
  }
  return tokens
}

/** Splits a text into words, in order. Equal words are the same object in all texts. */
export function wordsOf(text: string): Word[] {
  const found: Word[] = []
  scanned.read(text)
  for (let i = 0; i < scanned.count; i += 1) {
    const word = words.of(text, scanned, i, normaliseWord)
    if (word.term !== '') found.push(word)
  }
  return found
}

/** Splits a text into words with their positions: start and end of each in UTF-16 units, one pair after the other. */
export function placedWords(text: string): { readonly words: readonly Word[]; readonly places: Uint32Array } {
  const found: Word[] = []
  const places: number[] = []
  scanned.read(text)
  for (let i = 0; i < scanned.count; i += 1) {
    const word = words.of(text, scanned, i, normaliseWord)
    if (word.term === '') continue
    found.push(word)
    places.push(scanned.starts[i] as number, scanned.ends[i] as number)
  }
  return { words: found, places: Uint32Array.from(places) }
}

const scanned = new TextWords()

/**
 * Cache of words: about 60 MB when full of ordinary words, at most twice that. A service that only answers questions
 * needs less.
 */
const words = new TokenCache<Word>(400_000)

/** The word that these characters are, without a cache. Its term is empty if they are none. */
export function normaliseWord(written: string): Word {
  const { term, script, abbreviated } = hebrewLetter.test(written)
    ? normaliseHebrew(written)
    : normaliseLatin(written)
  return makeWord(term, script, abbreviated, isStopWord({ term, script }))
}

/** All words are made here, so that they have the same hidden class, which makes reading them faster. */
export function makeWord(term: string, script: Script, abbreviated: boolean, isStopWord: boolean): Word {
  return { term, script, abbreviated, isStopWord, counted: { names: undefined, phrases: undefined } }
}

/** Yiddish letters of two characters, which Unicode does not decompose. */
const yiddishLigatures: Readonly<Record<string, string>> = { '\u05f0': 'וו', '\u05f1': 'וי', '\u05f2': 'יי' }

const onlyHebrewLetters = /^[א-ת]+$/

function normaliseHebrew(written: string): Pick<Word, 'term' | 'script' | 'abbreviated'> {
  if (onlyHebrewLetters.test(written)) return { term: hebrewTerm(written), script: 'he', abbreviated: false }
  const plain = written
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/[\u05f0-\u05f2]/g, (ligature) => yiddishLigatures[ligature] ?? ligature)
    .replace(/[״“”„]|''|׳׳|’’/gu, '"')
    .replace(/[–‐‑־]/g, '-')
    .replace(/[׳‘’`]/gu, "'")
    // Yiddish possessive: `דעם רבי'ס`.
    .replace(/(?<=..)'ס$/u, '')
    .toLowerCase()
  return { term: hebrewTerm(plain), script: 'he', abbreviated: /["']/.test(plain) }
}

function normaliseLatin(written: string): Pick<Word, 'term' | 'script' | 'abbreviated'> {
  const plain = (hasDotBelow.test(written) ? withDigraphs(written) : written)
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/['’]s$/u, '')
    .replace(/["'`׳״‘’“”„]/gu, '')
  return { term: latinTerm(plain), script: 'en', abbreviated: false }
}

/** Matches academic letters for which others write two letters. Without their points they would be other letters. */
const hasDotBelow = /[ṣṢšŠ]|[sS][\u0323\u030c]/u

function withDigraphs(written: string): string {
  return written.normalize('NFC').replace(/ṣ/giu, 'tz').replace(/š/giu, 'sh')
}

function latinTerm(plain: string): string {
  if (/^g[-–—‐‑]d$/u.test(plain)) return 'god'
  if (/^l[-–—‐‑]rd$/u.test(plain)) return 'lord'
  return isEnglishStopWord(plain) ? plain : englishStem(plain)
}

/** Whether a word is a function word: counted in lengths and phrases, but not indexed and not searched. */
export function isStopWord(token: ScriptTerm): boolean {
  return token.script === 'he' ? isHebrewStopWord(token.term) : isEnglishStopWord(token.term)
}

/** The spelling class of a term; undefined when it has no useful one. */
export function skeletonOf(term: string): string | undefined {
  return /^[א-ת]/.test(term) ? hebrewSkeleton(term) : transliterationSkeleton(term)
}
