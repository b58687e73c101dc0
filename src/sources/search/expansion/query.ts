import { withPrefixes } from '../../text/hebrew.ts'
import { isFunctionWord, otherScript, type Script, type Token, tokenize } from '../../text/tokens.ts'
import { type Crossing, phraseCrossing, wordCrossing } from '../../vocabulary/crossings.ts'
import { groupsOfWord, groupTerm, type NameGroup, namesAt } from '../../vocabulary/lookup.ts'
import { type Synonyms, synonymsOfPhrase, synonymsOfWord } from '../../vocabulary/synonyms.ts'
import { isFiller, isInFillerPhrase } from './fillers.ts'
import { isWithin, type Phrase, quotedPhrases, wholePhrase } from './phrases.ts'
import { formsOf } from './word-forms.ts'

/** Where a term comes from that the query does not have itself. */
export type Origin = 'vocabulary' | 'lexicon' | 'learned' | 'synonyms'

/** One thing the query asks for: all its terms count as one in scoring. */
export type Concept = {
  /** The list of results that it ranks: Hebrew and English are ranked apart and fused. */
  readonly script: Script
  /** How much an occurrence of each term counts, 1 for the word itself. */
  readonly terms: ReadonlyMap<string, number>
  /** Terms whose other spellings join them; in Hebrew only when the library hardly has any of the terms. */
  readonly respelled: readonly string[]
  /**
   * Forms that the word has only if its first letters are a prefix, each with what is left without it: `לבית` with
   * `בית` for a query's `בבית`. Whether they are, the words of the library tell.
   */
  readonly rests: ReadonlyMap<string, string>
  /** Hebrew words whose other inflections join them; in English the terms are stems already. */
  readonly inflected: readonly string[]
  /** What finding it is worth beside finding a word of the query, which is 1. */
  readonly weight: number
  /** Position among the query's words, by which concepts that belong together are known. */
  readonly position: number
  /** Words of the query that it stands for, from its position on. */
  readonly length: number
  /** Of its terms those that are another word than the query's. */
  readonly origins: ReadonlyMap<string, Origin>
}

export type Query = {
  readonly concepts: readonly Concept[]
  /** All words in order, for phrases. */
  readonly tokens: readonly Token[]
  /** Phrases in quotation marks. Their words are never expanded. */
  readonly quoted: readonly Phrase[]
  /** The whole query as a phrase, when it may be one. */
  readonly whole: Phrase | undefined
}

/** Longer queries are pasted texts: their first words tell enough, and the cost stays bounded. */
const maxConcepts = 48

/** What an occurrence of another name counts beside the name that was asked for. */
const aliasWeight = 0.8

/** What the names in the other language count: of two equal finds the one in the asker's words comes first. */
const translationWeight = 0.95

/** What an occurrence of a translation counts that the lexicon gives. */
const lexiconWeight = 0.8

/** What an occurrence of an older word counts that stands for a newer one: less than an inflection of the word itself. */
const synonymWeight = 0.4

/** A word within a name of several words, or within a known phrase, says less than the whole. */
const partOfNameWeight = 0.5

/**
 * Reads a query: words that say something, each with the forms and names under which the library may have it.
 * @param phrases of those in quotation marks the ones to look for as they stand; default: all.
 */
export function parseQuery(text: string, phrases?: readonly Phrase[]): Query {
  const tokens = tokenize(text)
  const says = sayers(tokens)
  const quoted = phrases ?? quotedPhrases(text, tokens)
  const concepts: Concept[] = [...quotedWords(tokens, quoted)]
  const seen = new Set(concepts.flatMap(({ terms }) => [...terms.keys()]))
  let [ownEnd, foreignEnd, phraseEnd] = [0, 0, 0]
  for (const [at, token] of tokens.entries()) {
    if (isWithin(quoted, at)) continue
    const names = namesAt(tokens, at)
    const phrase = at < phraseEnd ? undefined : phraseCrossing(tokens, at)
    const synonyms = synonymsOfPhrase(tokens, at)
    concepts.push(...phraseConcepts(token.script, names, phrase, at), ...synonymConcepts(synonyms, at))
    phraseEnd = furthest(phraseEnd, at, [phrase])
    ownEnd = furthest(ownEnd, at, [...names, synonyms])
    foreignEnd = furthest(foreignEnd, at, [...names, synonyms, phrase])
    if (seen.has(token.term) || !says(token)) continue
    seen.add(token.term)
    concepts.push(...wordConcepts(token, at, partWeight(at < ownEnd), partWeight(at < foreignEnd)))
  }
  const inOrder = concepts.toSorted((a, b) => a.position - b.position)
  return { concepts: bounded(inOrder), tokens, quoted, whole: wholePhrase(tokens) }
}

/** Where what begins at a place of the query ends, if that is further than `end`. */
function furthest(
  end: number,
  at: number,
  found: readonly ({ readonly length: number } | undefined)[],
): number {
  return Math.max(end, ...found.map((one) => at + (one?.length ?? 0)))
}

function partWeight(isPart: boolean): number {
  return isPart ? partOfNameWeight : 1
}

/** The telling words in quotation marks, each once: no other form, name or translation of them counts. */
function quotedWords(tokens: readonly Token[], quoted: readonly Phrase[]): readonly Concept[] {
  const words = new Map<string, Concept>()
  for (const [at, token] of tokens.entries()) {
    if (!isWithin(quoted, at) || isFunctionWord(token) || words.has(token.term)) continue
    const exact = new Terms()
    exact.weights.set(token.term, 1)
    words.set(token.term, concept(token.script, exact, at, 1, 1))
  }
  return [...words.values()]
}

/** Tells which words say something: a query of nothing but fillers, or of nothing but function words, is taken at its word. */
function sayers(tokens: readonly Token[]): (token: Token) => boolean {
  const phrased = new Set(tokens.filter((_, at) => isInFillerPhrase(tokens, at)))
  const telling = (token: Token): boolean => !isFunctionWord(token)
  const asking = (token: Token): boolean => telling(token) && !isFiller(token.term) && !phrased.has(token)
  return [asking, telling].find((says) => tokens.some(says)) ?? (() => true)
}

/** The first concepts of each script. */
function bounded(concepts: readonly Concept[]): readonly Concept[] {
  const counts: Record<Script, number> = { he: 0, en: 0 }
  return concepts.filter(({ script }) => {
    counts[script] += 1
    return counts[script] <= maxConcepts
  })
}

/** Gathers the terms of a concept with where they come from. */
class Terms {
  readonly weights = new Map<string, number>()
  readonly origins = new Map<string, Origin>()

  addNames(group: NameGroup, script: Script): void {
    const named = new Map<string, number>()
    addNames(named, group, script)
    for (const [term, weight] of named) this.#add(term, weight, 'vocabulary')
  }

  addCrossing(crossing: Crossing | undefined): void {
    for (const term of crossing?.terms ?? []) this.#add(term, lexiconWeight, 'lexicon')
  }

  addSynonyms(synonyms: Synonyms | undefined): void {
    for (const term of synonyms?.terms ?? []) this.#add(term, synonymWeight, 'synonyms')
  }

  #add(term: string, weight: number, origin: Origin): void {
    // The first source of a term is the surest.
    if (!this.weights.has(term)) this.origins.set(term, origin)
    this.weights.set(term, Math.max(weight, this.weights.get(term) ?? 0))
  }
}

/** The word itself in its script, and its other names in both; in the other script all of them are one concept. */
function wordConcepts(
  token: Token,
  position: number,
  weight: number,
  foreignWeight: number,
): readonly Concept[] {
  const { script } = token
  const { forms, rests } = formsOf(token)
  const [own, foreign] = [new Terms(), new Terms()]
  for (const form of forms) own.weights.set(form, 1)
  for (const group of groupsOfWord(token.term)) {
    own.addNames(group, script)
    foreign.addNames(group, otherScript(script))
  }
  own.addSynonyms(synonymsOfWord(token))
  foreign.addCrossing(wordCrossing(token))
  const asked = concept(script, own, position, 1, weight, [token.term])
  const concepts: Concept[] = [{ ...asked, rests, inflected: script === 'he' ? [token.term] : [] }]
  if (foreign.weights.size > 0)
    concepts.push(concept(otherScript(script), foreign, position, 1, foreignWeight * translationWeight))
  return concepts
}

/** A phrase of today as older texts say it. */
function synonymConcepts(synonyms: Synonyms | undefined, position: number): readonly Concept[] {
  if (!synonyms) return []
  const older = new Terms()
  older.addSynonyms(synonyms)
  return [concept('he', older, position, synonyms.length, 1)]
}

/** Names of several words in both scripts, and a phrase in the other script. */
function phraseConcepts(
  script: Script,
  names: readonly { readonly group: NameGroup; readonly length: number }[],
  phrase: Crossing | undefined,
  position: number,
): readonly Concept[] {
  const concepts: Concept[] = []
  const foreign = new Terms()
  for (const { group, length } of names) {
    const own = new Terms()
    own.addNames(group, script)
    concepts.push(concept(script, own, position, length, 1))
    foreign.addNames(group, otherScript(script))
  }
  foreign.addCrossing(phrase)
  const length = Math.max(phrase?.length ?? 0, ...names.map((name) => name.length))
  if (length > 0) concepts.push(concept(otherScript(script), foreign, position, length, translationWeight))
  return concepts
}

function concept(
  script: Script,
  { weights, origins }: Terms,
  position: number,
  length: number,
  weight: number,
  respelled: readonly string[] = [],
): Concept {
  return {
    script,
    terms: weights,
    origins,
    respelled,
    rests: new Map(),
    inflected: [],
    weight,
    position,
    length,
  }
}

function addNames(terms: Map<string, number>, group: NameGroup, script: Script): void {
  terms.set(groupTerm(group, script), 1)
  for (const word of group.words[script]) {
    for (const form of [word, ...withPrefixes(word)]) {
      terms.set(form, Math.max(aliasWeight, terms.get(form) ?? 0))
    }
  }
}
