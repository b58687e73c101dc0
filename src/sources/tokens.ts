import { englishStem, isEnglishFunctionWord, transliterationSkeleton } from './english.ts'
import { hebrewSkeleton, hebrewTerm, isHebrewFunctionWord } from './hebrew.ts'

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

/**
 * Raised whenever the terms of a text or the keys of its headings change: the index remembers which normaliser made it
 * and is made anew by another.
 */
export const normaliserVersion = 2

/** Divine names written with a hyphen are one word; apart from them a hyphen or maqaf separates. */
const word =
  /(?<![\p{L}\p{N}])(?:G[-–—‐‑]d|L[-–—‐‑]rd)(?![\p{L}\p{N}])|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:["'`׳״‘’“”„]+[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*['׳’]?/gu

const hebrewLetter = /[\u05d0-\u05ea\ufb1d-\ufb4f]/

/** The words of a text in order. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  for (const match of text.matchAll(word)) {
    const { term, script, abbreviated } = normaliseWord(match[0])
    if (term === '') continue
    tokens.push({ term, script, abbreviated, start: match.index, end: match.index + match[0].length })
  }
  return tokens
}

type NormalWord = Pick<Token, 'term' | 'script' | 'abbreviated'>

const known = new Map<string, NormalWord>()

/** A bounded memory: word forms repeat so much that most look-ups in an import end here. */
const knownLimit = 200_000

function normaliseWord(written: string): NormalWord {
  const found = known.get(written)
  if (found) return found
  const made = hebrewLetter.test(written) ? normaliseHebrew(written) : normaliseLatin(written)
  if (known.size >= knownLimit) known.clear()
  known.set(written, made)
  return made
}

function normaliseHebrew(written: string): NormalWord {
  const plain = written
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/[״“”„]|''|׳׳|’’/gu, '"')
    .replace(/[׳‘’`]/gu, "'")
    .toLowerCase()
  return { term: hebrewTerm(plain), script: 'he', abbreviated: /["']/.test(plain) }
}

function normaliseLatin(written: string): NormalWord {
  const plain = written
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/['’]s$/u, '')
    .replace(/["'`׳״‘’“”„]/gu, '')
  return { term: latinTerm(plain), script: 'en', abbreviated: false }
}

function latinTerm(plain: string): string {
  if (/^g[-–—‐‑]d$/u.test(plain)) return 'god'
  if (/^l[-–—‐‑]rd$/u.test(plain)) return 'lord'
  return isEnglishFunctionWord(plain) ? plain : englishStem(plain)
}

/** Words of no use for finding: they are counted in lengths and seen in phrases, but neither indexed nor looked up. */
export function isFunctionWord(token: { readonly term: string; readonly script: Script }): boolean {
  return token.script === 'he' ? isHebrewFunctionWord(token.term) : isEnglishFunctionWord(token.term)
}

/** The spelling class under which variants of a term are kept together, or undefined when it has none of use. */
export function skeletonOf(term: string): string | undefined {
  return /^[א-ת]/.test(term) ? hebrewSkeleton(term) : transliterationSkeleton(term)
}
