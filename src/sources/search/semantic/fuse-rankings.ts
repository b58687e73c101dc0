import type { PassageRow } from '../../library/passage-row.ts'
import { compareText, type FusedHit } from '../scoring/fusion.ts'
import { noSignals } from '../scoring/signals.ts'

/**
 * How much the nearest passage adds, where the best passage by words has 1. Little when the words have found evidence:
 * then meaning decides between passages that fit about as well. Much when they have not. Chosen with the stand-in of
 * `npm run bench -- relevance --semantic` at a recall of 0, 0.4 and 0.8 (docs/measurements/search.md).
 */
const weights = { words: 0.2, noWords: 1 }

/** The tenth nearest passage adds a third of what the nearest adds. */
const rankConstant = 5

/**
 * Adds a ranking by meaning to one by words. Scores of words keep their proportions, on which later steps depend; ranks
 * stand for the distances of vectors, whose scale differs by model. Versions of one passage count once, by the nearest
 * of them. The version that words found is shown. Equal scores are sorted by ref.
 * @param nearest documents, nearest first; those without a row were removed meanwhile.
 * @param isRelevant whether a passage that words found is above the relevance floor; it is asked about the best one.
 */
export function fuseSemantic(
  byWords: readonly FusedHit[],
  nearest: readonly number[],
  rows: ReadonlyMap<number, PassageRow>,
  isRelevant: (row: PassageRow) => boolean,
): readonly FusedHit[] {
  if (nearest.length === 0) return byWords
  const first = byWords[0]
  const best = first?.score ?? 1
  const weight = first && isRelevant(first.row) ? weights.words : weights.noWords
  const byRef = new Map(byWords.map((hit) => [hit.row.ref, { ...hit, score: hit.score / best }]))
  const seen = new Set<string>()
  for (const doc of nearest) {
    const row = rows.get(doc)
    if (!row || seen.has(row.ref)) continue
    const known = byRef.get(row.ref) ?? { row, score: 0, signals: noSignals }
    const added = (weight * rankConstant) / (rankConstant + seen.size)
    seen.add(row.ref)
    const signals = { ...known.signals, meaning: seen.size }
    byRef.set(row.ref, { row: known.row, score: known.score + added, signals })
  }
  return [...byRef.values()].sort((a, b) => b.score - a.score || compareText(a.row.ref, b.row.ref))
}
