import type { PassageRow } from '../../library/passage-row.ts'
import type { Script } from '../../text/tokens.ts'
import { type RowTerms, rowTerms } from '../phrases/row-words.ts'
import type { CollectionFacts } from '../scoring/bm25.ts'
import type { FoundConcept } from '../scoring/index-reader.ts'
import { type About, type AskedConcept, askedConcept, evidenceOf, wordsAsked } from './evidence.ts'
import { type ByTerm, isTitled } from './titles.ts'

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
 * Prepares to look how much of what a query asks for passages have, 0 to 1: the telling weight of the query's words that
 * stand in it or in its heading, in whatever language, over that of all of them. A word the library does not know counts
 * as the most telling of all, so that a question about something else does not look answered by a chance word.
 *
 * @param topics positions of the query's words that name everyday matters, and of those that name matters of the field.
 *
 * Unlike a rank or a score of rank fusion it says something about the passage by itself, and can be held to a floor.
 */
export function coverageOf(
  concepts: readonly FoundConcept[],
  facts: Readonly<Record<Script, CollectionFacts>>,
  topics: Omit<About, 'titled'>,
): (row: PassageRow) => Coverage {
  const asked = concepts.map((found) => askedConcept(found, facts))
  const termsAsked = byTerm(concepts)
  return (row) => {
    const present = rowTerms(row)
    const titled = isTitled({ ref: row.ref, heRef: row.he_ref }, termsAsked)
    const evidence = evidenceOf(wordsAsked(asked, present), { ...topics, titled })
    return { ...shareOf(asked, present), titled, evidence }
  }
}

function shareOf(asked: readonly AskedConcept[], present: RowTerms): Pick<Coverage, 'share' | 'words'> {
  const positions = new Map<number, { worth: number; met: boolean }>()
  for (const { position, worth, telling } of asked) {
    const known = positions.get(position)
    const met = known?.met === true || telling.some((term) => present.has(term))
    // A word counts by the language that knows it best: its translation is the same question.
    positions.set(position, { worth: known ? Math.min(known.worth, worth) : worth, met })
  }
  let [all, found, words] = [0, 0, 0]
  for (const { worth, met } of positions.values()) {
    all += worth
    if (!met) continue
    found += worth
    words += 1
  }
  return { share: all === 0 ? 0 : found / all, words }
}

function byTerm(concepts: readonly FoundConcept[]): ByTerm {
  const places = new Map<string, number[]>()
  for (const [index, { terms }] of concepts.entries()) {
    for (const term of terms.keys()) {
      const known = places.get(term)
      if (known) known.push(index)
      else places.set(term, [index])
    }
  }
  return places
}
