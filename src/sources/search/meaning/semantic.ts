import type { Executor } from '../../../db/client.ts'
import type { DocumentRanges } from '../../index/document-ranges.ts'
import type { PassageRow } from '../../library/passage-row.ts'
import { compareText, type Fused } from '../scoring/fusion.ts'

/** Constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */
const fusionConstant = 60

/** Finds passages by meaning. It never throws, because a search can do without it. */
export type SemanticSearch = {
  /**
   * Returns the numbers of the documents nearest in meaning, nearest first. Empty on a failure, which it logs. It
   * calls a model first, so do not use it inside a transaction.
   */
  nearest(executor: Executor, text: string, ranges: DocumentRanges | undefined): Promise<readonly number[]>
}

/**
 * Merges the rankings by words and by meaning with reciprocal rank fusion, because their scores do not compare. Both
 * have equal weight. Versions of one passage count once. A passage found by words is shown in the version found by
 * words. Ties are sorted by ref.
 */
export function fuseByMeaning(
  byWords: readonly Fused[],
  nearest: readonly number[],
  rows: ReadonlyMap<number, PassageRow>,
): readonly Fused[] {
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
