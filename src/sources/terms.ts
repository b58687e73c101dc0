import { isFunctionWord, type Token, tokenize } from './tokens.ts'

export type DocumentTerms = {
  /** How often each indexed term occurs. */
  readonly frequencies: ReadonlyMap<string, number>
  /** Number of words, function words included: a passage is long by all its words. */
  readonly length: number
}

/** What the index holds of a text. */
export function documentTerms(text: string): DocumentTerms {
  const tokens = tokenize(text)
  const frequencies = new Map<string, number>()
  const count = (term: string): void => {
    frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  }
  tokens.forEach((token) => {
    if (!isFunctionWord(token)) count(token.term)
  })
  return { frequencies, length: tokens.length }
}

export type { Token }
