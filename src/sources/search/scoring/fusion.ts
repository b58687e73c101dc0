import type { PassageRow } from '../../library/passage-row.ts'
import type { ScoredDocument } from './bm25.ts'
import { noSignals, type Signals } from './signals.ts'

/** The ranking of one script. */
export type RankedList = {
  /** Best first. */
  readonly ranked: readonly ScoredDocument[]
  /** Divisor of scores, so that those of both scripts are comparable. */
  readonly unit: number
}

/** A passage in the ranking. */
export type FusedHit = { readonly row: PassageRow; readonly score: number; readonly signals: Signals }

type Found = { readonly row: PassageRow; readonly fit: number; readonly signals: Signals }

/** Fraction of its own fit that the second script of a place adds. It only decides between near-equal places. */
const secondScriptGain = 0.02

/**
 * Merges the rankings of both scripts into one ranking of places, best first; ties in order of refs.
 * The fit of a passage is its score divided by the square root of the weight of a word that only one document has.
 * Raw scores favour the script with more texts; scores divided by the whole weight favour the script with fewer (both
 * measured). Ranks are not comparable, because one list may be all noise.
 * A place counts with its best version. Its best version in the other script adds 2 % of its own fit; further
 * versions in one script add nothing. Of equal versions, that of the first list is shown. Scores are between 0 and 1.
 */
export function fuse(
  lists: readonly RankedList[],
  rows: ReadonlyMap<number, PassageRow>,
): readonly FusedHit[] {
  const byRef = new Map<string, Found[]>()
  for (const { ranked, unit } of lists) {
    const best = new Map<string, Found>()
    for (const { doc, score, signals } of ranked) {
      const row = rows.get(doc)
      if (!row) continue
      const fit = score / unit
      if (fit > (best.get(row.ref)?.fit ?? 0))
        best.set(row.ref, { row, fit, signals: inUnits(signals ?? { ...noSignals, bm25: score }, unit) })
    }
    for (const [ref, found] of best) byRef.set(ref, [...(byRef.get(ref) ?? []), found])
  }
  return [...byRef.values()]
    .map(placeOf)
    .sort((a, b) => b.score - a.score || compareText(a.row.ref, b.row.ref))
}

function placeOf(found: readonly Found[]): FusedHit {
  const best = found.reduce((a, b) => (b.fit > a.fit ? b : a))
  const second = found.reduce((most, other) => (other === best ? most : Math.max(most, other.fit)), 0)
  const languages = secondScriptGain * second
  const fit = best.fit + languages
  return { row: best.row, score: fit / (1 + fit), signals: { ...best.signals, languages } }
}

function inUnits({ bm25, order, title, section, ...marks }: Signals, unit: number): Signals {
  return {
    ...marks,
    bm25: bm25 / unit,
    order: order / unit,
    title: title / unit,
    section: section / unit,
    languages: 0,
  }
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Removes passages next to a better one in the same section. Passages that the query names stay. */
export function collapse(fused: readonly FusedHit[]): readonly FusedHit[] {
  const taken = new Set<string>()
  return fused.filter(({ row, signals }) => {
    if (signals.named) return true
    const place = (ordinal: number): string => `${row.work_id} ${ordinal} ${row.section_ref}`
    const near = taken.has(place(row.ordinal - 1)) || taken.has(place(row.ordinal + 1))
    if (!near) taken.add(place(row.ordinal))
    return !near
  })
}
