import type { FoundConcept } from '../index-reader.ts'
import type { PassageRow } from '../passage-row.ts'
import type { Origin, Query } from '../query.ts'
import { headingsOf } from '../terms.ts'
import { type Token, tokenize } from '../tokens.ts'
import { groupTerm, namesAt } from '../vocabulary/lookup.ts'
import { phraseTermsAt } from '../vocabulary/phrase-terms.ts'
import { rowTokens, rowWords } from './row-words.ts'

/** Another word for a word of the query that a passage has. */
export type Expansion = {
  /** As the query has it. */
  readonly word: string
  /** As the passage or its heading has it. */
  readonly by: string
  readonly through: Origin
}

/** Expansions of one hit: the first of each word of the query. */
const maxExpansions = 16

/**
 * Prepares to look in passages for the words of a query that they, or headings over them, have in another language or
 * under another name. What it returns gives them in the order of the query.
 */
export function expansionsOf(
  text: string,
  query: Query,
  concepts: readonly FoundConcept[],
): (row: PassageRow) => readonly Expansion[] {
  const expanded = concepts
    .filter(({ concept }) => concept.origins.size > 0)
    .toSorted((a, b) => a.concept.position - b.concept.position)
  const wanted = wantedTerms(expanded)
  return (row) => {
    if (expanded.length === 0) return []
    const best = firstOccurrences(row, wanted)
    const found = new Map<string, Expansion>()
    for (const [i, { concept }] of expanded.entries()) {
      const word = wordsAsked(text, query.tokens, concept)
      const first = best.get(i)
      if (first && !found.has(word)) found.set(word, { word, by: first.by, through: first.through })
    }
    return [...found.values()].slice(0, maxExpansions)
  }
}

/** A concept that a term belongs to, and which of its terms it is. */
type Wanted = { readonly concept: number; readonly rank: number; readonly through: Origin }

function wantedTerms(expanded: readonly FoundConcept[]): ReadonlyMap<string, readonly Wanted[]> {
  const wanted = new Map<string, Wanted[]>()
  for (const [i, { concept }] of expanded.entries()) {
    let rank = 0
    for (const [term, through] of concept.origins) {
      const one = { concept: i, rank, through }
      const known = wanted.get(term)
      if (known) known.push(one)
      else wanted.set(term, [one])
      rank += 1
    }
  }
  return wanted
}

function wordsAsked(
  text: string,
  tokens: readonly Token[],
  { position, length }: FoundConcept['concept'],
): string {
  return text.slice(tokens[position]?.start, tokens[position + length - 1]?.end)
}

type Written = {
  readonly by: string
  readonly order: number
  readonly rank: number
  readonly through: Origin
}

/** For each concept what stands first for it: in the text, else in a heading. */
function firstOccurrences(
  row: PassageRow,
  wanted: ReadonlyMap<string, readonly Wanted[]>,
): ReadonlyMap<number, Written> {
  const best = new Map<number, Written>()
  let order = 0
  const look = (text: string, places: readonly Token[], words: readonly NameWord[]): void => {
    for (const at of places.keys()) {
      order += 1
      for (const [term, length] of termsAt(words, at)) {
        for (const one of wanted.get(term) ?? []) {
          if (!isBetter(one, order, best.get(one.concept))) continue
          const by = text.slice(places[at]?.start, places[at + length - 1]?.end)
          best.set(one.concept, { by, order, rank: one.rank, through: one.through })
        }
      }
    }
  }
  look(row.text, rowTokens(row), rowWords(row))
  for (const heading of headingsOf({ ref: row.ref, heRef: row.he_ref })) {
    const tokens = tokenize(heading)
    look(heading, tokens, tokens)
  }
  return best
}

/** Of two at one place that which the concept names first. */
function isBetter({ rank }: Wanted, order: number, known: Written | undefined): boolean {
  return known === undefined || (known.order === order && rank < known.rank)
}

type NameWord = Pick<Token, 'term' | 'script' | 'abbreviated'>

/** The index terms that begin at a word, each with its length in words. */
function termsAt(
  tokens: readonly NameWord[],
  at: number,
): readonly (readonly [term: string, length: number])[] {
  const names = namesAt(tokens, at).map(
    ({ group, script, length }) => [groupTerm(group, script), length] as const,
  )
  return [[tokens[at]?.term ?? '', 1], ...names, ...phraseTermsAt(tokens, at)]
}
