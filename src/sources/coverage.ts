import { type CollectionFacts, inverseFrequency } from './bm25.ts'
import type { FoundConcept } from './index-reader.ts'
import type { PassageRow } from './passage-row.ts'
import { evidenceOf, wordsAsked } from './search/evidence.ts'
import { documentTerms, headingsOf } from './terms.ts'
import { type ByTerm, titleConcepts } from './titles.ts'
import type { Script } from './tokens.ts'

/**
 * `share` 0 to 1; `words` is how many of the query's telling words (or names) are met; `titled` whether the query
 * names the very title that the passage stands under, or a place of the Bible or the Talmud that the passage cites;
 * `evidence` is above 0 when the passage is about the question.
 */
export type Coverage = {
  readonly share: number
  readonly words: number
  readonly titled: boolean
  readonly evidence: number
}

/** Whether a passage is about what was asked for, or only shares a chance word with it. */
export function isRelevant({ evidence }: Pick<Coverage, 'evidence'>): boolean {
  return evidence > 0
}

/**
 * How much of what a query asks for a passage has, 0 to 1: the telling weight of the query's words that stand in it
 * or in its heading, in whatever language, over that of all of them. A word the library does not know counts as the
 * most telling of all, so that a question about something else does not look answered by a chance word.
 *
 * @param everyday positions of the query's words that name matters which no such library treats.
 *
 * Unlike a rank or a score of rank fusion it says something about the passage by itself, and can be held to a floor.
 */
export function coverageOf(
  row: PassageRow,
  concepts: readonly FoundConcept[],
  facts: Readonly<Record<Script, CollectionFacts>>,
  everyday: ReadonlySet<number>,
): Coverage {
  const headings = headingsOf({ ref: row.ref, heRef: row.he_ref })
  const present = documentTerms(row.text, headings).frequencies
  const positions = new Map<number, { worth: number; met: boolean }>()
  for (const { concept, terms, documents } of concepts) {
    const known = positions.get(concept.position)
    const met = [...terms].some(([term, weight]) => weight > 0.5 && present.has(term))
    const worth = inverseFrequency(documents, facts[concept.script])
    positions.set(concept.position, {
      // A word counts by the language that knows it best: its translation is the same question.
      worth: known ? Math.min(known.worth, worth) : worth,
      met: (known?.met ?? false) || met,
    })
  }
  let [all, found, words] = [0, 0, 0]
  for (const { worth, met } of positions.values()) {
    all += worth
    if (!met) continue
    found += worth
    words += 1
  }
  const titled = titleConcepts({ ref: row.ref, heRef: row.he_ref }, byTerm(concepts)).length > 0
  const evidence = evidenceOf(wordsAsked(concepts, present, facts), { everyday, titled })
  return { share: all === 0 ? 0 : found / all, words, titled, evidence }
}

function byTerm(concepts: readonly FoundConcept[]): ByTerm {
  const places = new Map<string, number[]>()
  concepts.forEach(({ terms }, index) => {
    for (const term of terms.keys()) places.set(term, [...(places.get(term) ?? []), index])
  })
  return places
}
