import { withPrefixes } from '../../text/hebrew.ts'
import { isStopWord, otherScript, type Script, type Token, tokenize } from '../../text/tokens.ts'
import { groupsOfWord, groupTerm, type NameGroup, namesAt } from '../../vocabulary/lookup.ts'
import { peopleNamed } from '../../vocabulary/names/person-keys.ts'
import { type Synonyms, synonymsOfPhrase, synonymsOfWord } from '../../vocabulary/synonyms.ts'
import { type Translation, translatePhrase, translateWord } from '../../vocabulary/translations.ts'
import { withDivineName } from './divine-name.ts'
import { isFiller, isInFillerPhrase } from './fillers.ts'
import { isInPhrase, type Phrase, quotedPhrases, wholePhrase } from './phrases.ts'
import { formsOf } from './word-forms.ts'

/** Source of a term that is not in the query itself. */
export type Origin = 'vocabulary' | 'lexicon' | 'synonyms' | 'spelling'

/** One concept of a query. All its terms count as one in scoring. */
export type Concept = {
  /** The result list that it ranks. Hebrew and English are ranked separately and then fused. */
  readonly script: Script
  /** Weight of an occurrence of each term; 1 for the word itself. */
  readonly terms: ReadonlyMap<string, number>
  /** Terms to which other spellings are added. In Hebrew only if the library has very few documents with them. */
  readonly respelled: readonly string[]
  /**
   * Hebrew forms that assume that the query word begins with a prefix, each with the word without it: `לבית` with
   * `בית` for `בבית`. The words of the library decide whether the assumption is right.
   */
  readonly rests: ReadonlyMap<string, string>
  /** Hebrew words to which other inflections are added. English terms are already stems. */
  readonly inflected: readonly string[]
  /** Weight of the concept; 1 for a word of the query. */
  readonly weight: number
  /** Index of its first query word. Concepts of equal position are alternatives. */
  readonly position: number
  /** Number of query words that it covers, from its position on. */
  readonly length: number
  /** The terms that are not the query's own words, with their source. */
  readonly origins: ReadonlyMap<string, Origin>
  /** Whether it is the name of a person. */
  readonly isPerson?: boolean
}

/** Other spellings for a word of a query that nothing is known about. */
export type Respelling = {
  /** Index terms that the writer may have meant, best first, with the weight of an occurrence. */
  readonly words: ReadonlyMap<string, number>
  /** Further terms that count only within a name of several words. */
  readonly parts: readonly string[]
  /** Names of several words that the word shortens. */
  readonly names: readonly NameGroup[]
}

/** Respellings by the position of the word. */
type Respellings = ReadonlyMap<number, Respelling>

export type Query = {
  readonly concepts: readonly Concept[]
  /** All words in order, for phrases. */
  readonly tokens: readonly Token[]
  /** Quoted phrases. Their words are never expanded. */
  readonly quoted: readonly Phrase[]
  /** The whole query as a phrase, if it can be one. */
  readonly whole: Phrase | undefined
}

/** Maximum number of concepts per query. Longer queries are pasted texts, whose first words suffice. */
const maxConcepts = 48

/** Weight of another name of the same person or concept. */
const aliasWeight = 0.8

/** Weight of names in the other language. Of two equal hits, the one in the language of the query comes first. */
const translationWeight = 0.95

/** Weight of a translation from the lexicon. */
const lexiconWeight = 0.8

/** Weight of an older word for a newer one; less than an inflection of the word itself. */
const synonymWeight = 0.4

/** Weight of a single word within a name or known phrase of several words. */
const partOfNameWeight = 0.5

/**
 * Parses a query into concepts: its distinctive words, each with the forms and names under which texts may have it.
 * @param phrases the quoted phrases that are searched word for word; default: all.
 */
export function parseQuery(text: string, phrases?: readonly Phrase[], respellings?: Respellings): Query {
  const plain = tokenize(text)
  const quoted = phrases ?? quotedPhrases(text, plain)
  const written = withDivineName(plain, quoted)
  const tokens = written.map((token, at) => respelled(token, respellings?.get(at)))
  const says = sayers(tokens)
  const concepts: Concept[] = [...quotedWords(tokens, quoted)]
  const seen = new Set(concepts.flatMap(({ terms }) => [...terms.keys()]))
  let [ownEnd, foreignEnd, phraseEnd] = [0, 0, 0]
  for (const [at, token] of tokens.entries()) {
    if (isInPhrase(quoted, at)) continue
    const shortened = respellings?.get(at)?.names ?? []
    const names = [...namesAt(tokens, at), ...shortened.map((group) => ({ group, length: 1 }))]
    const phrase = at < phraseEnd ? undefined : translatePhrase(tokens, at)
    const synonyms = synonymsOfPhrase(tokens, at)
    concepts.push(...phraseConcepts(token.script, names, phrase, at), ...synonymConcepts(synonyms, at))
    phraseEnd = furthest(phraseEnd, at, [phrase])
    ownEnd = furthest(ownEnd, at, [...names, synonyms])
    foreignEnd = furthest(foreignEnd, at, [...names, synonyms, phrase])
    if (seen.has(token.term) || !says(token)) continue
    seen.add(token.term)
    const weights = [partWeight(at < ownEnd), partWeight(at < foreignEnd)] as const
    // Within a name, its other spellings are guesses: the name has explained the word.
    const isExplained = token.spellings !== undefined && at < ownEnd
    const words = isExplained ? undefined : respellings?.get(at)?.words
    concepts.push(...wordConcepts((isExplained && written[at]) || token, at, ...weights, words))
  }
  const inOrder = concepts.toSorted((a, b) => a.position - b.position)
  return { concepts: bounded(inOrder), tokens, quoted, whole: wholePhrase(tokens) }
}

/** A word as the writer meant it. Names are compared with all its spellings. */
function respelled(token: Token, respelling: Respelling | undefined): Token {
  if (!respelling) return token
  const [best = token.term] = respelling.words.keys()
  return { ...token, term: best, spellings: [...respelling.words.keys(), ...respelling.parts] }
}

/** The end of the longest phrase that begins at this position, or `end` if no phrase is longer. */
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

/** The distinctive words in quotation marks, without duplicates. They have no other form, name or translation. */
function quotedWords(tokens: readonly Token[], quoted: readonly Phrase[]): readonly Concept[] {
  const words = new Map<string, Concept>()
  for (const [at, token] of tokens.entries()) {
    if (!isInPhrase(quoted, at) || isStopWord(token) || words.has(token.term)) continue
    const exact = new Terms()
    exact.weights.set(token.term, 1)
    words.set(token.term, concept(token.script, exact, at, 1, 1))
  }
  return [...words.values()]
}

/** Returns a test for words with content. In a query of only fillers or only function words, every word counts. */
function sayers(tokens: readonly Token[]): (token: Token) => boolean {
  const phrased = new Set(tokens.filter((_, at) => isInFillerPhrase(tokens, at)))
  const isContentWord = (token: Token): boolean => !isStopWord(token)
  const asking = (token: Token): boolean =>
    isContentWord(token) && !isFiller(token.term) && !phrased.has(token)
  return [asking, isContentWord].find((says) => tokens.some(says)) ?? (() => true)
}

/** The first concepts of each script, up to the maximum. */
function bounded(concepts: readonly Concept[]): readonly Concept[] {
  const counts: Record<Script, number> = { he: 0, en: 0 }
  return concepts.filter(({ script }) => {
    counts[script] += 1
    return counts[script] <= maxConcepts
  })
}

/** Collects the terms of a concept with their sources. */
class Terms {
  readonly weights = new Map<string, number>()
  readonly origins = new Map<string, Origin>()

  addNames(group: NameGroup, script: Script): void {
    this.#add(groupTerm(group, script), 1, 'vocabulary')
    for (const word of group.words[script])
      for (const form of [word, ...withPrefixes(word)]) this.#add(form, aliasWeight, 'vocabulary')
  }

  addCrossing(crossing: Translation | undefined): void {
    for (const term of crossing?.terms ?? []) this.#add(term, lexiconWeight, 'lexicon')
  }

  addSpellings(words: Respelling['words'], script: Script): void {
    for (const [word, weight] of words)
      for (const form of formsOf({ term: word, script, abbreviated: false }).forms)
        this.#add(form, weight, 'spelling')
  }

  addSynonyms(synonyms: Synonyms | undefined): void {
    for (const term of synonyms?.terms ?? []) this.#add(term, synonymWeight, 'synonyms')
  }

  #add(term: string, weight: number, origin: Origin): void {
    const known = this.weights.get(term)
    // The first source of a term is the most reliable.
    if (known === undefined) this.origins.set(term, origin)
    if (known === undefined || known < weight) this.weights.set(term, weight)
  }
}

/**
 * Concepts of one word: the word and its other names in its own script, and one concept for all its names in the
 * other script.
 */
function wordConcepts(
  token: Token,
  position: number,
  weight: number,
  foreignWeight: number,
  words: Respelling['words'] = new Map(),
): readonly Concept[] {
  const { script } = token
  const { forms, rests } = formsOf(token)
  const [own, foreign] = [new Terms(), new Terms()]
  if (words.size === 0) for (const form of forms) own.weights.set(form, 1)
  own.addSpellings(words, script)
  for (const term of words.size > 0 ? words.keys() : [token.term]) {
    for (const group of groupsOfWord(term)) {
      own.addNames(group, script)
      foreign.addNames(group, otherScript(script))
    }
    own.addSynonyms(synonymsOfWord({ term, script }))
    foreign.addCrossing(translateWord({ term, script }))
  }
  const asked = concept(script, own, position, 1, weight, [token.term])
  const concepts: Concept[] = [{ ...asked, rests, inflected: script === 'he' ? [token.term] : [] }]
  if (foreign.weights.size > 0)
    concepts.push(concept(otherScript(script), foreign, position, 1, foreignWeight * translationWeight))
  return concepts
}

/** Concepts for a modern phrase, in the words of older texts. */
function synonymConcepts(synonyms: Synonyms | undefined, position: number): readonly Concept[] {
  if (!synonyms) return []
  const older = new Terms()
  older.addSynonyms(synonyms)
  return [concept('he', older, position, synonyms.length, 1)]
}

/** Concepts for names of several words in both scripts, and for a phrase in the other script. */
function phraseConcepts(
  script: Script,
  names: readonly { readonly group: NameGroup; readonly length: number }[],
  phrase: Translation | undefined,
  position: number,
): readonly Concept[] {
  const concepts: Concept[] = []
  const foreign = new Terms()
  const isPerson = names.some(({ group }) => isPersonGroup(group))
  for (const { group, length } of names) {
    const own = new Terms()
    own.addNames(group, script)
    concepts.push({ ...concept(script, own, position, length, 1), isPerson })
    foreign.addNames(group, otherScript(script))
  }
  foreign.addCrossing(phrase)
  const length = Math.max(phrase?.length ?? 0, ...names.map((name) => name.length))
  if (length > 0)
    concepts.push({ ...concept(otherScript(script), foreign, position, length, translationWeight), isPerson })
  return concepts
}

function isPersonGroup({ names: [first = ''] }: NameGroup): boolean {
  return peopleNamed(first).size > 0
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
