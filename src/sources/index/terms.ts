import { headingOf, hebrewHeadingOf } from '../refs/grammar/refs.ts'
import { type Word, wordsOf } from '../text/tokens.ts'
import { expansionOf, groupTerm, namesAt } from '../vocabulary/lookup.ts'
import { phraseTermsAt } from '../vocabulary/phrase-terms.ts'

export type DocumentTerms = {
  /** Number of occurrences of each term. */
  readonly frequencies: ReadonlyMap<string, number>
  /** Number of words, including function words. */
  readonly length: number
}

/**
 * Returns the terms of a text in the index: its words, the expanded words of its abbreviations, the names of several
 * words that occur in it, and the words of its headings.
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

/** Returns the terms of a heading in the index. */
export function headingTerms(heading: string): readonly string[] {
  const terms: string[] = []
  countTerms(heading, (term) => terms.push(term))
  return terms
}

/**
 * Counts the terms of a text and returns its length in words. `count` also receives the word, if the term stands in
 * the text as a word.
 */
export function countTerms(text: string, count: (term: string, word?: Word) => unknown): number {
  const words = wordsOf(text)
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as Word
    if (!word.isStopWord) count(word.term, word)
    if (word.abbreviated) for (const expanded of expansionOf(word.term)) count(expanded)
    for (const { group, script } of namesAt(words, at)) count(groupTerm(group, script))
    for (const [term] of phraseTermsAt(words, at)) count(term)
  }
  return words.length
}

/**
 * The headings of a place in both languages: its refs without numbers, because numbers say nothing about the content.
 */
export function headingsOf(place: { readonly ref: string; readonly heRef: string }): readonly string[] {
  const key = `${place.ref}\n${place.heRef}`
  const known = headings.get(key)
  if (known) return known
  const found = [headingOf(place.ref), hebrewHeadingOf(place)]
  if (headings.size >= maxHeadings) headings.clear()
  if (key.length <= longestKey) headings.set(key, found)
  return found
}

/**
 * Maximum number of cached headings, about 5 MB. Finding the end of a Hebrew heading takes longer than reading the
 * passage.
 */
const maxHeadings = 10_000
const longestKey = 400
const headings = new Map<string, readonly string[]>()
