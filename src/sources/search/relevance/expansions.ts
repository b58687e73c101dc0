import { headingsOf } from '../../index/terms.ts'
import type { PassageRow } from '../../library/passage-row.ts'
import { isStopWord, type Token } from '../../text/tokens.ts'
import type { Origin, Query } from '../expansion/query.ts'
import { headingWords, type PassageWords, passageWords } from '../phrases/passage-words.ts'
import type { FoundConcept } from '../scoring/index-reader.ts'

/** A word of a passage that matches a query word by another name, language or synonym. */
export type Expansion = {
  /** The word of the query. */
  readonly word: string
  /** The word of the passage or its heading. */
  readonly by: string
  readonly through: Origin
}

/** Maximum number of expansions per hit; the first for each query word. */
const maxExpansions = 16

/**
 * Returns a function that finds the expansions of a passage: query words that its text or headings have in another
 * language or under another name. The result is in the order of the query.
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

/** The concept that a term belongs to, and the index of the term in it. */
type Wanted = { readonly concept: number; readonly rank: number; readonly through: Origin }

/** The terms that the library has or does not index. */
function wantedTerms(expanded: readonly FoundConcept[]): ReadonlyMap<string, readonly Wanted[]> {
  const wanted = new Map<string, Wanted[]>()
  for (const [i, { concept, terms }] of expanded.entries()) {
    const { script } = concept
    let rank = -1
    for (const [term, through] of concept.origins) {
      rank += 1
      if (!terms.has(term) && !isStopWord({ term, script })) continue
      const one = { concept: i, rank, through }
      const known = wanted.get(term)
      if (known) known.push(one)
      else wanted.set(term, [one])
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

/** For each concept the first occurrence in the text, otherwise in a heading. */
function firstOccurrences(
  row: PassageRow,
  wanted: ReadonlyMap<string, readonly Wanted[]>,
): ReadonlyMap<number, Written> {
  const best = new Map<number, Written>()
  let order = 0
  const look = (text: string, read: PassageWords): void => {
    const { words, compounds } = read
    const meet = (term: string, at: number, length: number): void => {
      for (const one of wanted.get(term) ?? none) {
        if (!isBetter(one, order, best.get(one.concept))) continue
        const by = text.slice(read.startOf(at), read.endOf(at + length - 1))
        best.set(one.concept, { by, order, rank: one.rank, through: one.through })
      }
    }
    let next = 0
    for (const [at, { term }] of words.entries()) {
      order += 1
      meet(term, at, 1)
      for (; compounds[next]?.at === at; next += 1)
        meet(compounds[next]?.term ?? '', at, compounds[next]?.length ?? 1)
    }
  }
  look(row.text, passageWords(row))
  for (const heading of headingsOf({ ref: row.ref, heRef: row.he_ref })) look(heading, headingWords(heading))
  return best
}

const none: readonly never[] = []

/** Of two terms at one position, prefers the one that the concept lists first. */
function isBetter({ rank }: Wanted, order: number, known: Written | undefined): boolean {
  return known === undefined || (known.order === order && rank < known.rank)
}
