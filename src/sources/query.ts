import { withoutPrefixes, withPrefixes } from './hebrew.ts'
import { isFunctionWord, type Script, type Token, tokenize } from './tokens.ts'
import { groupsOfWord, groupTerm, type NameGroup, namesAt } from './vocabulary/lookup.ts'

/** One thing the query asks for: all its terms count as one in scoring. */
export type Concept = {
  /** The list of results that it ranks: Hebrew and English are ranked apart and fused. */
  readonly script: Script
  /** How much an occurrence of each term counts, 1 for the word itself. */
  readonly terms: ReadonlyMap<string, number>
  /** Terms whose other spellings join them; in Hebrew only when the library hardly has any of the terms. */
  readonly respelled: readonly string[]
  /** What finding it is worth beside finding a word of the query, which is 1. */
  readonly weight: number
  /** Position among the query's words, by which concepts that belong together are known. */
  readonly position: number
}

export type Query = {
  readonly concepts: readonly Concept[]
  /** All words in order, for phrases. */
  readonly tokens: readonly Token[]
}

/** Longer queries are pasted texts: their first words tell enough, and the cost stays bounded. */
const mostConcepts = 48

/** What an occurrence of another name counts beside the name that was asked for. */
const aliasWeight = 0.8

/** What the names in the other language count: of two equal finds the one in the asker's words comes first. */
const translationWeight = 0.9

/** A word within a name of several words says less than the name. */
const partOfNameWeight = 0.5

/** Reads a query: words that say something, each with the forms and names under which the library may have it. */
export function parseQuery(text: string): Query {
  const tokens = tokenize(text)
  const telling = tokens.some((token) => !isFunctionWord(token))
  const concepts: Concept[] = []
  const seen = new Set<string>()
  let nameEnd = 0
  for (const [at, token] of tokens.entries()) {
    for (const { group, length } of namesAt(tokens, at)) {
      concepts.push(...groupConcepts(group, at))
      nameEnd = Math.max(nameEnd, at + length)
    }
    // A query of nothing but function words is taken at its word.
    if (seen.has(token.term) || (telling && isFunctionWord(token))) continue
    seen.add(token.term)
    concepts.push(...wordConcepts(token, at, at < nameEnd ? partOfNameWeight : 1))
  }
  return { concepts: concepts.slice(0, mostConcepts), tokens }
}

/** The word itself in its script, and its other names in both. */
function wordConcepts(token: Token, position: number, weight: number): readonly Concept[] {
  const own = new Map<string, number>()
  addForms(own, token.term, token.script, 1)
  const respelled = [...own.keys()]
  const other: Script = token.script === 'he' ? 'en' : 'he'
  const foreign = new Map<string, number>()
  for (const group of groupsOfWord(token.term)) {
    addNames(own, group, token.script)
    addNames(foreign, group, other)
  }
  const concepts: Concept[] = [{ script: token.script, terms: own, respelled, weight, position }]
  if (foreign.size > 0)
    concepts.push({
      script: other,
      terms: foreign,
      respelled: [],
      weight: weight * translationWeight,
      position,
    })
  return concepts
}

function groupConcepts(group: NameGroup, position: number): readonly Concept[] {
  return (['he', 'en'] as const).map((script) => {
    const terms = new Map<string, number>()
    addNames(terms, group, script)
    return { script, terms, respelled: [], weight: 1, position }
  })
}

function addNames(terms: Map<string, number>, group: NameGroup, script: Script): void {
  terms.set(groupTerm(group, script), 1)
  for (const word of group.words[script]) addForms(terms, word, script, aliasWeight)
}

/** A Hebrew word with each prefix, and the same for what it may be without one. */
function addForms(terms: Map<string, number>, word: string, script: Script, weight: number): void {
  const bases = script === 'he' ? withoutPrefixes(word) : [word]
  for (const base of bases) {
    for (const form of [base, ...withPrefixes(base)]) {
      terms.set(form, Math.max(weight, terms.get(form) ?? 0))
    }
  }
}
