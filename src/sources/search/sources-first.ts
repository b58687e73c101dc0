import { isReferenceWork } from '../vocabulary/titles/reference-works.ts'
import type { Fused } from './scoring/fusion.ts'

/**
 * A scholar quotes the text before an article about it. With 0.985 the English questions on the Tanya rise from a mean
 * reciprocal rank of 0.63 to 0.68 and the Hebrew ones from 0.70 to 0.73; those on the starter library lose 0.015.
 */
const referenceWorth = 0.985

/** The ranking with a little less for articles of reference works, best first. */
export function sourcesFirst(ranked: readonly Fused[]): readonly Fused[] {
  return ranked
    .map((found) =>
      isReferenceWork(found.row.work) ? { ...found, score: found.score * referenceWorth } : found,
    )
    .sort((a, b) => b.score - a.score)
}
