import { basesOf, withPrefixes } from '../text/hebrew.ts'
import { lazyInSteps } from '../text/lazy.ts'
import type { ScriptTerm } from '../text/tokens.ts'
import { type LexiconForm, pairsIn, phraseTerm } from './lexicon.ts'
import { PhraseFinder } from './phrases.ts'

/** Hebrew words with one meaning: modern words, and the words of older texts. */
export type SynonymEntry = { readonly newer: readonly LexiconForm[]; readonly older: readonly LexiconForm[] }

/**
 * Reads `synonyms/*.tsv`: modern words, a tab, and words of older texts, including Aramaic; `|` separates alternatives. Only modern words lead to older ones, not the reverse.
 */
export const readSynonyms = lazyInSteps(function* (): Generator<undefined, readonly SynonymEntry[]> {
  const entries: SynonymEntry[] = []
  for (const [now, older] of pairsIn(new URL('./data/synonyms/', import.meta.url))) {
    entries.push({ newer: now, older })
    yield
  }
  return entries
})

/** The words of older texts for words of a query. */
export type Synonyms = {
  /** Number of query words that they replace. */
  readonly length: number
  /** Index terms, with every prefix. */
  readonly terms: ReadonlySet<string>
}

/** Entries by their modern words and phrases. */
type Newer = {
  readonly words: ReadonlyMap<string, readonly SynonymEntry[]>
  readonly phrases: PhraseFinder<SynonymEntry>
}

function* compile(): Generator<undefined, Newer> {
  const words = new Map<string, SynonymEntry[]>()
  const phrases = new PhraseFinder<SynonymEntry>()
  for (const entry of yield* readSynonyms.steps()) {
    for (const form of entry.newer) {
      const [first = ''] = form.terms
      if (form.terms.length > 1) phrases.add(form.terms, entry)
      else words.set(first, [...(words.get(first) ?? []), entry])
    }
    yield
  }
  return { words, phrases }
}

const newer = lazyInSteps(compile)

/** Makes the table of synonyms in advance. */
export const loadSynonyms = newer.load

/** The older words for the longest known phrase that begins at `tokens[at]`. */
export function synonymsOfPhrase(tokens: readonly ScriptTerm[], at: number): Synonyms | undefined {
  const longest = newer().phrases.longestAt(tokens, at)
  return longest && { length: longest.length, terms: olderTerms(longest.values) }
}

/** The older words for a Hebrew word, which may have a prefix. */
export function synonymsOfWord({ term, script }: ScriptTerm): Synonyms | undefined {
  if (script !== 'he') return undefined
  for (const base of basesOf(term)) {
    const entries = newer().words.get(base)
    if (entries) return { length: 1, terms: olderTerms(entries) }
  }
  return undefined
}

function olderTerms(entries: readonly SynonymEntry[]): ReadonlySet<string> {
  const terms = new Set<string>()
  for (const form of new Set(entries.flatMap(({ older }) => older))) {
    const [word = ''] = form.terms
    if (form.terms.length > 1) terms.add(phraseTerm(form))
    else for (const written of [word, ...withPrefixes(word)]) terms.add(written)
  }
  return terms
}
