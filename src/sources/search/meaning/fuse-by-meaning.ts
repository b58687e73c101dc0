import type { PassageRow } from '../../library/passage-row.ts'
import { compareText, type FusedHit } from '../scoring/fusion.ts'

/** Of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */
const fusionConstant = 60

/**
 * Adds a ranking by meaning to one by words: reciprocal rank fusion, because the scores of the two do not
 * compare. Both count equally. Versions of one passage count once, by the nearest of them. What words
 * found is shown in the version they found; equal scores stand in order of refs.
 */
export function fuseByMeaning(
  byWords: readonly FusedHit[],
  nearest: readonly number[],
  rows: ReadonlyMap<number, PassageRow>,
): readonly FusedHit[] {
  const byRef = new Map(byWords.map(({ row }, i) => [row.ref, { row, score: 1 / (fusionConstant + i + 1) }]))
  const seen = new Set<string>()
  for (const doc of nearest) {
    const row = rows.get(doc)
    if (!row || seen.has(row.ref)) continue
    seen.add(row.ref)
    const known = byRef.get(row.ref) ?? { row, score: 0 }
    byRef.set(row.ref, { row: known.row, score: known.score + 1 / (fusionConstant + seen.size) })
  }
  return [...byRef.values()].sort((a, b) => b.score - a.score || compareText(a.row.ref, b.row.ref))
}
