import type { PassageRow } from '../library/passage-row.ts'
import type { Scored } from './scoring/bm25.ts'

/** What the best other passage of a section adds to each of its passages, in parts of the lesser score. */
const sectionGain = 0.2

/** Other passages that add: the second counts half as much as the first, the third a third. */
const maxWitnesses = 3

/**
 * Adds the evidence of a section to its passages: a question is about a chapter, and an import cuts chapters into pieces.
 * A passage gains from others of its section that were found too, never more than from three as good as itself (37 %).
 * Versions of one passage are no witnesses of each other. Best first; ties keep their order.
 */
export function withSections(
  ranked: readonly Scored[],
  rows: ReadonlyMap<number, PassageRow>,
): readonly Scored[] {
  const sections = Map.groupBy(ranked, ({ doc }) => {
    const row = rows.get(doc)
    return row ? `${row.work_id} ${row.section_ref}` : ''
  })
  const gained = [...sections].flatMap(([section, found]) =>
    section === '' ? found : found.map((one) => ({ ...one, score: one.score + gainOf(one, found, rows) })),
  )
  return gained.sort((a, b) => b.score - a.score)
}

/** @param found passages of one section, best first. */
function gainOf(one: Scored, found: readonly Scored[], rows: ReadonlyMap<number, PassageRow>): number {
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
