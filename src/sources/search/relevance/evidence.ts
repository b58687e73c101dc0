import type { Script } from '../../text/tokens.ts'
import type { Origin } from '../expansion/query.ts'
import type { RowTerms } from '../phrases/row-words.ts'
import { type CollectionFacts, inverseFrequency } from '../scoring/bm25.ts'
import type { FoundConcept } from '../scoring/index-reader.ts'

/** A word of a query beside one passage. */
type WordAsked = {
  /** How telling it is, in the language that knows it best. */
  worth: number
  documents: number
  /** How surely the passage has it: 0 to 1. */
  strength: number
  /** Whether it is, or belongs to, a name of the vocabulary. */
  named: boolean
}

/** How surely a passage has a word that it has by another one. */
const strengthOf: Readonly<Record<Origin, number>> = {
  vocabulary: 1,
  lexicon: 0.8,
  synonyms: 0.5,
  learned: 0.3,
}

/** Another spelling or inflection: classes of these are wider than one word. */
const formStrength = 0.4

/** Weaker finds are chance. */
const least = 0.5
const sure = 0.8

/**
 * The weights of the evidence: a logistic regression over the sets of `test/questions` that ask on and off topic, about the
 * starter library and about the Tanya, rounded. Its cross-validated figures stand in `docs/search-figures.md`.
 */
const weights = {
  /** Each word met, and in addition each name met. */
  word: 1.2,
  name: 0.7,
  /** The weighted fraction of the words that the passage has. */
  share: 1.1,
  titled: 1,
  /** Each word of the question that is of the field. */
  field: 2.2,
  /** Each word of an everyday matter that the passage lacks. */
  everyday: 2.4,
  /** Each word that the library lacks. */
  unknown: 0.8,
  needed: 1.6,
}
const maxEveryday = 2
const maxField = 2

/** What is known of a question and a passage beside the words. */
export type About = {
  /** Positions of the words that name an everyday matter. */
  readonly everyday: ReadonlySet<number>
  /** Positions of the words that name a matter of the field. */
  readonly field: ReadonlySet<number>
  /** Whether the question names the title of the passage. */
  readonly titled: boolean
}

/** A concept as it is looked for in one passage after the other. */
export type AskedConcept = {
  readonly position: number
  readonly length: number
  readonly documents: number
  readonly worth: number
  readonly named: boolean
  /** How surely a passage has it that has a term. */
  readonly strengths: readonly (readonly [term: string, strength: number])[]
  /** Terms that count for more than another form of the word. */
  readonly telling: readonly string[]
}

/** Weights of terms above this are of the word, its names and translations. */
const minTelling = 0.5

/** Prepares a concept. */
export function askedConcept(
  { concept, terms, documents }: FoundConcept,
  facts: Readonly<Record<Script, CollectionFacts>>,
): AskedConcept {
  const { position, length } = concept
  const worth = inverseFrequency(documents, facts[concept.script])
  return {
    position,
    length,
    documents,
    worth,
    named: concept.terms.keys().some(isName),
    strengths: [...terms].map(([term, weight]) => [term, strengthOfTerm(concept, term, weight)] as const),
    telling: [...terms].flatMap(([term, weight]) => (weight > minTelling ? [term] : [])),
  }
}

function strengthOfTerm({ origins }: FoundConcept['concept'], term: string, weight: number): number {
  const origin = isName(term) ? 'vocabulary' : origins.get(term)
  if (origin !== undefined) return strengthOf[origin]
  return weight >= 1 ? 1 : formStrength
}

/** The words of a query by position, each with how surely the passage of these terms has it. */
export function wordsAsked(
  concepts: readonly AskedConcept[],
  present: RowTerms,
): ReadonlyMap<number, WordAsked> {
  const words = new Map<number, WordAsked>()
  for (const { position, length, documents, worth, named, strengths } of concepts) {
    let strength = 0
    for (const [term, own] of strengths) if (own > strength && present.has(term)) strength = own
    for (let at = position; at < position + length; at += 1) {
      const word = words.get(at) ?? {
        worth: Number.POSITIVE_INFINITY,
        documents: 0,
        strength: 0,
        named: false,
      }
      if (length === 1) {
        word.worth = Math.min(word.worth, worth)
        word.documents = Math.max(word.documents, documents)
      }
      word.strength = Math.max(word.strength, strength)
      word.named ||= named
      words.set(at, word)
    }
  }
  return words
}

/** Whether an index term is a group of names. */
function isName(term: string): boolean {
  return term.startsWith('he:') || term.startsWith('en:')
}

/**
 * What speaks for a passage being about a query, less what speaks against it: words and names met and words of the
 * field, against words that the library lacks, and words of everyday matters that the passage lacks. Above 0 it is taken
 * to be about it.
 */
export function evidenceOf(
  words: ReadonlyMap<number, WordAsked>,
  { everyday, field, titled }: About,
): number {
  let [all, found, score] = [0, 0, titled ? weights.titled : 0]
  for (const { worth, documents, strength, named } of words.values()) {
    if (!Number.isFinite(worth)) continue
    all += worth
    if (strength >= least) found += worth * strength
    if (strength >= sure) score += weights.word + (named ? weights.name : 0)
    if (documents === 0 && !named) score -= weights.unknown
  }
  const foreign = [...everyday].filter((at) => (words.get(at)?.strength ?? 0) < 1).length
  const share = all === 0 ? 0 : found / all
  score += weights.share * share + weights.field * Math.min(maxField, field.size)
  return score - weights.everyday * Math.min(maxEveryday, foreign) - weights.needed
}
