import type { PassageRow } from '../../library/passage-row.ts'
import type { Script } from '../../text/tokens.ts'
import { type PassageTerms, passageTerms } from '../phrases/passage-words.ts'
import type { CollectionStats } from '../scoring/bm25.ts'
import type { FoundConcept } from '../scoring/index-reader.ts'
import {
  type EvidenceParts,
  evidenceOf,
  evidenceParts,
  type QueryConcept,
  type QueryTopics,
  queryWords,
  toQueryConcept,
} from './relevance-floor.ts'
import { namedTitles } from './title-match.ts'

/**
 * `share`, 0 to 1: weighted fraction of the query that the passage contains. `words`: number of the query's
 * distinctive words (or names) in the passage. `titled`: whether the query names the title of the passage, or a place
 * of the Bible or the Talmud that it cites. `evidence`: above 0 when the passage is about the question.
 */
export type Coverage = {
  readonly share: number
  readonly words: number
  readonly titled: boolean
  readonly evidence: number
}

/**
 * Returns a function that computes the coverage of a passage: the weight of the query words in its text or heading,
 * in any language, divided by the weight of all query words. An unknown word has the largest weight, so that a
 * question about another subject gets a low coverage.
 * @param topics positions of query words for everyday subjects and for subjects of the field.
 * Unlike a rank or a fused score, coverage is comparable between searches.
 */
export function coverageOf(
  concepts: readonly FoundConcept[],
  facts: Readonly<Record<Script, CollectionStats>>,
  topics: Omit<QueryTopics, 'titled'>,
): (row: PassageRow) => Coverage & { readonly parts: EvidenceParts } {
  const absent = absentPeople(concepts)
  const telling = concepts.map((found) => (isWithin(found, absent) ? withoutTerms(found) : found))
  const asked = telling.map((found) => toQueryConcept(found, facts))
  const titlesNamed = namedTitles(telling)
  const field = new Set([...topics.field].filter((at) => !absent.has(at)))
  return (row) => {
    const present = passageTerms(row)
    const titles = titlesNamed(row)
    const titled = titles.length > 0
    const naming = new Set(titles.flatMap((title) => title.concepts).flatMap((i) => asked[i] ?? []))
    const parts = evidenceParts(queryWords(asked, present, naming), { ...topics, field, titled })
    return { ...shareOf(asked, present), titled, evidence: evidenceOf(parts), parts }
  }
}

/**
 * The positions of names of people whom no passage names. A passage with a word of such a name, such as `Rebbe` in
 * `the Rebbe of Belz`, is about somebody else.
 */
function absentPeople(concepts: readonly FoundConcept[]): ReadonlySet<number> {
  const people = concepts.filter(({ concept }) => concept.isPerson === true)
  const present = new Set(people.flatMap((one) => (one.documents > 0 ? positionsOf(one) : [])))
  return new Set(people.flatMap(positionsOf).filter((at) => !present.has(at)))
}

function positionsOf({ concept: { position, length } }: FoundConcept): readonly number[] {
  return Array.from({ length }, (_, i) => position + i)
}

function isWithin(found: FoundConcept, positions: ReadonlySet<number>): boolean {
  return positionsOf(found).some((at) => positions.has(at))
}

function withoutTerms(found: FoundConcept): FoundConcept {
  return { ...found, terms: new Map() }
}

function shareOf(asked: readonly QueryConcept[], present: PassageTerms): Pick<Coverage, 'share' | 'words'> {
  const positions = new Map<number, { idf: number; met: boolean }>()
  for (const { position, idf, strongTerms } of asked) {
    const known = positions.get(position)
    const met = known?.met === true || strongTerms.some((term) => present.has(term))
    // The smaller weight counts: a word and its translation are the same question.
    positions.set(position, { idf: known ? Math.min(known.idf, idf) : idf, met })
  }
  let [all, found, words] = [0, 0, 0]
  for (const { idf, met } of positions.values()) {
    all += idf
    if (!met) continue
    found += idf
    words += 1
  }
  return { share: all === 0 ? 0 : found / all, words }
}
