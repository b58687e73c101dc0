import type { PassageRow } from '../library/passage-row.ts'
import type { ScoredDocument } from './scoring/bm25.ts'
import { noSignals } from './scoring/signals.ts'

/** Fraction of the smaller score that the best other passage of a section adds to a passage. */
const sectionGain = 0.2

/** Maximum number of other passages that add. The second counts half as much as the first, the third a third. */
const maxWitnesses = 3

/**
 * Raises passages whose section has other matches, because a question is usually about a chapter and imports cut
 * chapters into pieces. The gain is at most 37 %, from three equally good passages. Versions of one passage do not
 * raise each other. Best first; ties keep their order.
 */
export function withSections(
  ranked: readonly ScoredDocument[],
  rows: ReadonlyMap<number, PassageRow>,
): readonly ScoredDocument[] {
  const sections = Map.groupBy(ranked, ({ doc }) => {
    const row = rows.get(doc)
    return row ? `${row.work_id} ${row.section_ref}` : ''
  })
  const gained = [...sections].flatMap(([section, found]) =>
    section === '' ? found : found.map((one) => withGain(one, gainOf(one, found, rows))),
  )
  return gained.sort((a, b) => b.score - a.score)
}

function withGain(one: ScoredDocument, section: number): ScoredDocument {
  const { signals = { ...noSignals, bm25: one.score } } = one
  return { ...one, score: one.score + section, signals: { ...signals, section } }
}

/** @param found passages of one section, best first. */
function gainOf(
  one: ScoredDocument,
  found: readonly ScoredDocument[],
  rows: ReadonlyMap<number, PassageRow>,
): number {
  const seen = new Set([rows.get(one.doc)?.ref])
  let gain = 0
  let witnesses = 0
  for (const { doc, score } of found) {
    const ref = rows.get(doc)?.ref
    if (seen.has(ref)) continue
    seen.add(ref)
    witnesses += 1
    gain += (sectionGain * Math.min(score, one.score)) / witnesses
    if (witnesses === maxWitnesses) break
  }
  return gain
}
