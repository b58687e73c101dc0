import type { Script } from '../../text/tokens.ts'
import type { Origin } from '../expansion/query.ts'
import type { PassageTerms } from '../phrases/passage-words.ts'
import { type CollectionStats, inverseFrequency } from '../scoring/bm25.ts'
import { type FoundConcept, spellingWeight } from '../scoring/index-reader.ts'

/**
 * The relevance floor: whether a passage is about the question, or only shares a word with it by chance.
 * @param found.evidence the result of `evidenceOf`.
 */
export function isRelevant({ evidence }: { readonly evidence: number }): boolean {
  return evidence > 0
}

/** A query word in relation to one passage. */
type QueryWord = {
  /** Inverse document frequency; the smaller one of both languages. */
  idf: number
  documents: number
  /** Certainty that the passage has it, 0 to 1. */
  strength: number
  /** Whether it is, or belongs to, a name of the vocabulary. */
  named: boolean
  /** Whether it belongs to the name of a person. */
  isPerson: boolean
}

/** Certainty of a match by another word, by the source of that word. */
const strengthOf: Readonly<Record<Origin, number>> = {
  vocabulary: 1,
  lexicon: 0.8,
  spelling: 0.8,
  synonyms: 0.5,
}

/** Certainty of a match by another spelling or inflection. Their classes contain more than one word. */
const formStrength = 0.4

/** Minimum certainty; weaker matches are chance. */
const least = 0.5
const sure = 0.8

/**
 * Weights of the evidence: a logistic regression over the on-topic and off-topic sets of `test/questions`, for the
 * starter library and the Tanya, rounded. `docs/measurements/search.md` has the cross-validated figures.
 */
const weights = {
  /** Each word that the passage has; `name` is added for a name. */
  word: 1.2,
  name: 0.7,
  /** The weighted fraction of the words that the passage has. */
  share: 1.1,
  titled: 1,
  /** Each word of the question that belongs to the field. */
  field: 2.2,
  /** Each word for an everyday subject that the passage lacks. */
  everyday: 2.4,
  /** Each word that the library lacks. */
  unknown: 0.8,
  needed: 1.6,
}
const maxEveryday = 2
const maxField = 2

/** What is known about a question and a passage, besides the words. */
export type QueryTopics = {
  /** Positions of the words for everyday subjects. */
  readonly everyday: ReadonlySet<number>
  /** Positions of the words that belong to the field. */
  readonly field: ReadonlySet<number>
  /** Whether the question names the title of the passage. */
  readonly titled: boolean
}

/** A concept prepared for comparison with many passages. */
export type QueryConcept = {
  readonly position: number
  readonly length: number
  readonly documents: number
  readonly idf: number
  readonly named: boolean
  readonly isPerson: boolean
  /** Whether the library has the word as the query writes it. */
  readonly isWritten: boolean
  /** Certainty that a passage with this term has the concept. */
  readonly strengths: readonly (readonly [term: string, strength: number])[]
  /** Terms with a larger weight than other forms of the word. */
  readonly strongTerms: readonly string[]
}

/** Minimum weight of the word itself, its names and its translations. */
const minStrongWeight = 0.5

/** Prepares a concept. */
export function toQueryConcept(
  { concept, terms, documents }: FoundConcept,
  facts: Readonly<Record<Script, CollectionStats>>,
): QueryConcept {
  const { position, length } = concept
  const idf = inverseFrequency(documents, facts[concept.script])
  const isWritten = terms.keys().some((term) => concept.terms.get(term) === 1)
  return {
    position,
    length,
    documents,
    idf,
    named: concept.terms.keys().some(isName),
    isPerson: concept.isPerson === true,
    isWritten,
    strengths: [...terms].map(
      ([term, weight]) => [term, strengthOfTerm(concept, term, weight, isWritten)] as const,
    ),
    strongTerms: [...terms].flatMap(([term, weight]) => (weight > minStrongWeight ? [term] : [])),
  }
}

function strengthOfTerm(
  { origins }: FoundConcept['concept'],
  term: string,
  weight: number,
  isWritten: boolean,
): number {
  const origin = isName(term) ? 'vocabulary' : origins.get(term)
  // A slip of one letter that only the library explains has a lower weight.
  if (origin === 'spelling') return Math.min(weight, strengthOf.spelling)
  if (origin !== undefined) return strengthOf[origin]
  if (weight >= 1) return 1
  // A spelling that no passage has is that of another one, such as איתכפיא of אתכפיא.
  return weight >= spellingWeight && !isWritten ? strengthOf.spelling : formStrength
}

/**
 * The words of a query by position, each with the certainty that a passage with these terms has it. Under a title that has a
 * synonym of the word, or an inflection of a word that no passage has, this counts as a spelling of it: `מתבודדים` under
 * the title `התבודדות`.
 * @param naming concepts that name the title of the passage.
 */
export function queryWords(
  concepts: readonly QueryConcept[],
  present: PassageTerms,
  naming: ReadonlySet<QueryConcept> = new Set(),
): ReadonlyMap<number, QueryWord> {
  const words = new Map<number, QueryWord>()
  for (const concept of concepts) {
    const { position, length, documents, idf, named, isPerson } = concept
    const strength = strengthIn(concept, present, naming.has(concept))
    for (let at = position; at < position + length; at += 1) {
      const word = words.get(at) ?? {
        idf: Number.POSITIVE_INFINITY,
        documents: 0,
        strength: 0,
        named: false,
        isPerson: false,
      }
      if (length === 1) {
        word.idf = Math.min(word.idf, idf)
        word.documents = Math.max(word.documents, documents)
      }
      word.strength = Math.max(word.strength, strength)
      word.named ||= named
      word.isPerson ||= isPerson
      words.set(at, word)
    }
  }
  return words
}

function strengthIn(
  { strengths, isWritten }: QueryConcept,
  present: PassageTerms,
  namesTitle: boolean,
): number {
  let strength = 0
  for (const [term, own] of strengths) if (own > strength && present.has(term)) strength = own
  const isForm = strength === strengthOf.synonyms || (strength === formStrength && !isWritten)
  return isForm && namesTitle ? strengthOf.spelling : strength
}

/** Whether an index term stands for a group of names. */
function isName(term: string): boolean {
  return term.startsWith('he:') || term.startsWith('en:')
}

/** The parts of the evidence. Their sum decides: above 0 the passage counts as relevant. */
export type EvidenceParts = {
  /** Words of the question that the passage has. */
  readonly words: number
  /** Added for those that are names. */
  readonly names: number
  /** The weighted fraction of the question that the passage has. */
  readonly share: number
  /** The question names the title of the passage. */
  readonly title: number
  /** Words of the question that belong to the field. */
  readonly field: number
  /** Words of the question for everyday subjects, which the passage lacks; not above 0. */
  readonly everyday: number
  /** Words of the question that the library lacks; not above 0. */
  readonly unknown: number
  /** What every passage needs; below 0. */
  readonly needed: number
}

/** Estimates whether a passage is about a query, in parts. */
export function evidenceParts(
  words: ReadonlyMap<number, QueryWord>,
  { everyday, field, titled }: QueryTopics,
): EvidenceParts {
  const foreign = [...everyday].filter((at) => (words.get(at)?.strength ?? 0) < 1).length
  const onlyNames = foreign > 0 && !hasSubject(words)
  const counts = (word: QueryWord | undefined): boolean => !onlyNames || isNoPerson(word)
  const known = [...words.values()].filter(({ idf }) => Number.isFinite(idf))
  const met = known.filter((word) => word.strength >= sure && counts(word))
  const lacking = known.filter(({ documents, named }) => documents === 0 && !named)
  const ofField = [...field].filter((at) => counts(words.get(at))).length
  return {
    words: weights.word * met.length,
    names: weights.name * met.filter(({ named }) => named).length,
    share: weights.share * shareOfWords(known),
    title: titled && !onlyNames ? weights.titled : 0,
    field: weights.field * Math.min(maxField, ofField),
    everyday: -weights.everyday * Math.min(maxEveryday, foreign),
    unknown: -weights.unknown * lacking.length,
    needed: -weights.needed,
  }
}

/** The sum of the parts. */
export function evidenceOf(parts: EvidenceParts): number {
  return Object.values(parts).reduce((sum, part) => sum + part, 0)
}

/** Whether the passage has a word of the question besides names of people. */
function hasSubject(words: ReadonlyMap<number, QueryWord>): boolean {
  return words.values().some((word) => isNoPerson(word) && word.strength >= sure)
}

/** The name of a master does not answer a question to him about an everyday subject. */
function isNoPerson(word: QueryWord | undefined): boolean {
  return word?.isPerson !== true
}

/** The weighted fraction of the words that the passage has. */
function shareOfWords(words: readonly QueryWord[]): number {
  const all = words.reduce((sum, { idf }) => sum + idf, 0)
  const found = words.reduce((sum, { idf, strength }) => sum + (strength >= least ? idf * strength : 0), 0)
  return all === 0 ? 0 : found / all
}
