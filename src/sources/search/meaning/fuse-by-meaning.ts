import type { PassageRow } from '../../library/passage-row.ts'
import { compareText, type FusedHit } from '../scoring/fusion.ts'

const P = (name: string, d: number) => Number(process.env[name] ?? d)

export function fuseByMeaning(
  byWords: readonly FusedHit[],
  nearest: readonly number[],
  rows: ReadonlyMap<number, PassageRow>,
  isSure = true,
): readonly FusedHit[] {
  const top = byWords[0]?.score ?? 1
  const weight = isSure ? P('W_SURE', 0.3) : P('W_WEAK', 1)
  const k = P('W_K', 10)
  const byRef = new Map(byWords.map(({ row, score }) => [row.ref, { row, score: score / top }]))
  const seen = new Set<string>()
  for (const doc of nearest) {
    const row = rows.get(doc)
    if (!row || seen.has(row.ref)) continue
    seen.add(row.ref)
    const known = byRef.get(row.ref) ?? { row, score: 0 }
    byRef.set(row.ref, { row: known.row, score: known.score + (weight * k) / (k + seen.size - 1) })
  }
  return [...byRef.values()].sort((a, b) => b.score - a.score || compareText(a.row.ref, b.row.ref))
}
