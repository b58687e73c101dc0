import { headingOf, hebrewHeadingOf } from './refs.ts'
import { isFunctionWord, tokenize } from './tokens.ts'
import { expansionOf, groupTerm, namesAt } from './vocabulary/lookup.ts'

export type DocumentTerms = {
  /** How often each indexed term occurs. */
  readonly frequencies: ReadonlyMap<string, number>
  /** Number of words, function words included: a passage is long by all its words. */
  readonly length: number
}

/**
 * What the index holds of a text: its words, the words that its abbreviations stand for, the names of several words
 * that occur in it, and the words of the headings it stands under.
 */
export function documentTerms(text: string, headings: readonly string[] = []): DocumentTerms {
  const frequencies = new Map<string, number>()
  const count = (term: string): void => {
    frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  }
  const length = countTerms(text, count)
  for (const heading of headings) countTerms(heading, count)
  return { frequencies, length }
}

/** Counts the terms of a text and returns its length in words. */
function countTerms(text: string, count: (term: string) => void): number {
  const tokens = tokenize(text)
  for (const [at, token] of tokens.entries()) {
    if (!isFunctionWord(token)) count(token.term)
    if (token.abbreviated) for (const term of expansionOf(token.term)) count(term)
    for (const { group, script } of namesAt(tokens, at)) count(groupTerm(group, script))
  }
  return tokens.length
}

/** The headings of a place in both languages: its refs without numbers, which say nothing about it. */
export function headingsOf(place: { readonly ref: string; readonly heRef: string }): readonly string[] {
  return [headingOf(place.ref), hebrewHeadingOf(place)]
}
