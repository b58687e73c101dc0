import { withoutPrefixes, withPrefixes } from '../text/hebrew.ts'
import { lazy } from '../text/lazy.ts'
import type { ScriptTerm } from '../text/tokens.ts'
import { type LexiconForm, phraseTerm, readPairs } from './lexicon.ts'
import { PhraseFinder } from './phrases.ts'

/** Hebrew words with one meaning: modern words, and the words of older texts. */
export type SynonymEntry = { readonly newer: readonly LexiconForm[]; readonly older: readonly LexiconForm[] }

/**
 * Reads `synonyms/*.tsv`: modern words, a tab, and words of older texts, including Aramaic; `
 * ` separates alternatives. Only modern words lead to older ones, not the reverse.
 */
export function readSynonyms(): readonly SynonymEntry[] {
  entries ??= readPairs(new URL('./synonyms/', import.meta.url)).map(([now, older]) => ({
    newer: now,
    older,
  }))
  return entries
}

/** Read once. */
let entries: readonly SynonymEntry[] | undefined

/** The words of older texts for words of a query. */
export type Synonyms = {
  /** Number of query words that they replace. */
  readonly length: number
  /** Index terms, with every prefix. */
  readonly terms: ReadonlySet<string>
}

function compile() {
  const words = new Map<string, SynonymEntry[]>()
  const phrases = new PhraseFinder<SynonymEntry>()
  for (const entry of readSynonyms()) {
    for (const form of entry.newer) {
      const [first = ''] = form.terms
      if (form.terms.length > 1) phrases.add(form.terms, entry)
      else words.set(first, [...(words.get(first) ?? []), entry])
    }
  }
  return { words, phrases }
}

const newer = lazy(compile)

/** The older words for the longest known phrase that begins at `tokens[at]`. */
export function synonymsOfPhrase(tokens: readonly ScriptTerm[], at: number): Synonyms | undefined {
  const longest = newer().phrases.longestAt(tokens, at)
  return longest && { length: longest.length, terms: olderTerms(longest.values) }
}

/** The older words for a Hebrew word, which may have a prefix. */
export function synonymsOfWord({ term, script }: ScriptTerm): Synonyms | undefined {
  if (script !== 'he') return undefined
  for (const base of withoutPrefixes(term)) {
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
