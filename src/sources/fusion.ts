import type { Scored } from './bm25.ts'
import type { PassageRow } from './documents.ts'

/** Of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */
export const fusionConstant = 60

export type RankedList = {
  /** Best first. */
  readonly ranked: readonly Scored[]
  /** How much of the query the list answers. */
  readonly weight: number
}

export type Fused = { readonly row: PassageRow; readonly score: number }

type Share = { readonly row: PassageRow; readonly share: number }

/**
 * Reciprocal rank fusion by ref, ties in order of refs. A list counts by how much of the query it answers, so that
 * one word with a translation does not outweigh the sentence around it. A passage that was found in two languages
 * gains from both; further editions in one language, or a text that both lists found, add nothing. The version with
 * the best share is shown, of equal ones that of the first list.
 */
export function fuse(lists: readonly RankedList[], rows: ReadonlyMap<number, PassageRow>): readonly Fused[] {
  const byRef = new Map<string, Map<string, Share>>()
  const most = Math.max(...lists.map((list) => list.weight))
  for (const { ranked, weight } of lists) {
    const seen = new Set<string>()
    for (const { doc } of ranked) {
      const row = rows.get(doc)
      if (!row) continue
      seen.add(row.ref)
      addShare(byRef, row, weight / most / (fusionConstant + seen.size))
    }
  }
  return [...byRef.values()]
    .map((shares) => total([...shares.values()]))
    .sort((a, b) => b.score - a.score || compareText(a.row.ref, b.row.ref))
}

function addShare(byRef: Map<string, Map<string, Share>>, row: PassageRow, share: number): void {
  const shares = byRef.get(row.ref) ?? new Map<string, Share>()
  byRef.set(row.ref, shares)
  if (share > (shares.get(row.language)?.share ?? 0)) shares.set(row.language, { row, share })
}

function total(shares: readonly Share[]): Fused {
  const best = shares.reduce((a, b) => (b.share > a.share ? b : a))
  return { row: best.row, score: shares.reduce((sum, { share }) => sum + share, 0) }
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Drops what stands next to something better in the same section. */
export function collapse(fused: readonly Fused[]): readonly Fused[] {
  const taken = new Set<string>()
  return fused.filter(({ row }) => {
    const place = (ordinal: number): string => `${row.work_id} ${ordinal} ${row.section_ref}`
    const near = taken.has(place(row.ordinal - 1)) || taken.has(place(row.ordinal + 1))
    if (!near) taken.add(place(row.ordinal))
    return !near
  })
}
