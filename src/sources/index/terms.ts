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
  const words = wordsOf(text)
  const count = (term: string): void => {
    frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  }
  for (const term of termsIn(words, compoundsIn(words))) count(term)
  for (const heading of headings) for (const term of headingTerms(heading)) count(term)
  return { frequencies, length: words.length }
}

/** Returns the terms of a heading in the index. */
export function headingTerms(heading: string): readonly string[] {
  const words = wordsOf(heading)
  return [...termsIn(words, compoundsIn(words))]
}

/** An index term for several words, or for a name of one word. */
export type Compound = {
  /** Its first word. */
  readonly at: number
  readonly length: number
  readonly term: string
  readonly isName: boolean
}

/** The names and known phrases in a text, in order. At equal positions names come first. */
export function compoundsIn(words: readonly Word[]): readonly Compound[] {
  const found: Compound[] = []
  for (let at = 0; at < words.length; at += 1) {
    for (const { group, script, length } of namesAt(words, at))
      found.push({ at, length, term: groupTerm(group, script), isName: true })
    for (const [term, length] of phraseTermsAt(words, at)) found.push({ at, length, term, isName: false })
  }
  return found
}

/** Yields each occurrence of a term: of the compounds, the words with content and what abbreviations stand for. */
export function* termsIn(words: readonly Word[], compounds: readonly Compound[]): Generator<string> {
  for (const { term } of compounds) yield term
  for (const { isStopWord, abbreviated, term } of words) {
    if (!isStopWord) yield term
    if (abbreviated) yield* expansionOf(term)
  }
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
