import { englishStem, isEnglishFunctionWord, transliterationSkeleton } from './english.ts'
import { hebrewSkeleton, hebrewTerm, isHebrewFunctionWord } from './hebrew.ts'
import { WordMemory } from './word-memory.ts'
import { findWords } from './words.ts'

/** The script decides the rules: `he` is every language in Hebrew letters, `en` everything else. */
export type Script = 'he' | 'en'

export type Token = {
  /** What is looked up: normalised alike for texts and queries. */
  readonly term: string
  readonly script: Script
  /** Written with gershayim or geresh, as abbreviations are. */
  readonly abbreviated: boolean
  /** UTF-16 range of the word in the text. */
  readonly start: number
  readonly end: number
}

/** A term with its script, of a text, a query or a name. */
export type ScriptTerm = Pick<Token, 'term' | 'script'>

export function otherScript(script: Script): Script {
  return script === 'he' ? 'en' : 'he'
}

/**
 * Raised whenever the terms of a text or the keys of its headings change: the index remembers which normaliser made it
 * and is rebuilt by another.
 */
export const normaliserVersion = 8

const hebrewLetter = /[\u05d0-\u05ea\ufb1d-\ufb4f]/

/** What a word is wherever it stands. */
export type Word = Pick<Token, 'term' | 'script' | 'abbreviated'> & {
  /** Function words find nothing: they are counted in lengths and seen in phrases, but neither indexed nor looked up. */
  readonly telling: boolean
  /** For who counts terms: its number of this one, kept where the word is met again. */
  readonly counted: {
    by: object | undefined
    number: number
    /** What names of the vocabulary begin with it, when that was looked up; `null` for none. */
    names: object | null | undefined
    /** The phrases that may begin with it, when they were looked up. */
    phrases: object | undefined
  }
}

/** The words of a text in order, with their places. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  findWords(text, (start, end) => {
    const { term, script, abbreviated } = words.of(text, start, end, normaliseWord)
    if (term !== '') tokens.push({ term, script, abbreviated, start, end })
  })
  return tokens
}

/** The words of a text in order. They are shared: the same word is the same object in all texts. */
export function wordsOf(text: string): Word[] {
  const found: Word[] = []
  findWords(text, (start, end) => {
    const word = words.of(text, start, end, normaliseWord)
    if (word.term !== '') found.push(word)
  })
  return found
}

/** The same words with their places: UTF-16 start and end of each, one pair after the other. */
export function placedWords(text: string): { readonly words: readonly Word[]; readonly places: Uint32Array } {
  const found: Word[] = []
  const places: number[] = []
  findWords(text, (start, end) => {
    const word = words.of(text, start, end, normaliseWord)
    if (word.term === '') return
    found.push(word)
    places.push(start, end)
  })
  return { words: found, places: Uint32Array.from(places) }
}

/** Some 60 MB when it is full of usual words, and at most twice that; a service that only answers questions remembers less. */
const words = new WordMemory<Word>(400_000)

function normaliseWord(written: string): Word {
  const plain = hebrewLetter.test(written) ? normaliseHebrew(written) : normaliseLatin(written)
  return {
    ...plain,
    telling: !isFunctionWord(plain),
    counted: { by: undefined, number: 0, names: undefined, phrases: undefined },
  }
}

function normaliseHebrew(written: string): Omit<Word, 'telling' | 'counted'> {
  const plain = written
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/[״“”„]|''|׳׳|’’/gu, '"')
    .replace(/[–‐‑־]/g, '-')
    .replace(/[׳‘’`]/gu, "'")
    .replace(/[–‐‑־]/gu, '-')
    // Yiddish: `דעם רבי'ס`.
    .replace(/(?<=..)'ס$/u, '')
    .toLowerCase()
  return { term: hebrewTerm(plain), script: 'he', abbreviated: /["']/.test(plain) }
}

function normaliseLatin(written: string): Omit<Word, 'telling' | 'counted'> {
  const plain = (hasDotBelow.test(written) ? withDigraphs(written) : written)
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/['’]s$/u, '')
    .replace(/["'`׳״‘’“”„]/gu, '')
  return { term: latinTerm(plain), script: 'en', abbreviated: false }
}

/** Academic signs that others write as two letters: without their points they would be other letters. */
const hasDotBelow = /[ṣṢšŠ]|[sS][\u0323\u030c]/u

function withDigraphs(written: string): string {
  return written.normalize('NFC').replace(/ṣ/giu, 'tz').replace(/š/giu, 'sh')
}

function latinTerm(plain: string): string {
  if (/^g[-–—‐‑]d$/u.test(plain)) return 'god'
  if (/^l[-–—‐‑]rd$/u.test(plain)) return 'lord'
  return isEnglishFunctionWord(plain) ? plain : englishStem(plain)
}

/** Words of no use for finding: they are counted in lengths and seen in phrases, but neither indexed nor looked up. */
export function isFunctionWord(token: ScriptTerm): boolean {
  return token.script === 'he' ? isHebrewFunctionWord(token.term) : isEnglishFunctionWord(token.term)
}

/** The spelling class under which variants of a term are kept together, or undefined when it has none of use. */
export function skeletonOf(term: string): string | undefined {
  return /^[א-ת]/.test(term) ? hebrewSkeleton(term) : transliterationSkeleton(term)
}
