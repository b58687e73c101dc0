import { isReferenceWork } from '../../vocabulary/titles/reference-works.ts'
import type { FusedHit } from '../scoring/fusion.ts'
import type { FoundConcept } from '../scoring/index-reader.ts'
import { type ByTerm, conceptsByTerm, titlesNamed } from './title-match.ts'

/** An entry among these is what the question is about, and not only mentioned by it. */
const amongBest = 3
/** How far down the ranking another named entry is looked for. */
const looked = 60
/** Maximum entries that stand together. */
const maxEntries = 3

/**
 * Puts the entries of reference works that a question names by different words behind each other: `the difference between a
 * tzaddik and a beinoni`. Without it, articles that mention both precede the second entry. Passages of other works and the
 * scores of the places stay the same. A ranking that does not begin with such an entry stays as it is.
 */
export function entriesTogether(
  ranked: readonly FusedHit[],
  concepts: readonly FoundConcept[],
): readonly FusedHit[] {
  const byTerm = conceptsByTerm(concepts)
  const named = (hit: FusedHit) => positionsNaming(hit, concepts, byTerm)
  const first = ranked.slice(0, amongBest).findIndex((hit) => named(hit) !== undefined)
  const best = ranked[first]
  if (best === undefined) return ranked
  const entries = [best]
  const taken = new Set(named(best))
  for (const hit of ranked.slice(first + 1, looked)) {
    const positions = named(hit)
    if (positions === undefined || positions.some((at) => taken.has(at))) continue
    entries.push(hit)
    for (const at of positions) taken.add(at)
    if (entries.length === maxEntries) break
  }
  return entries.length === 1 ? ranked : amongReferences(ranked, first, entries)
}

/** Puts the entries before the other passages of reference works. Passages of sources keep their places. */
function amongReferences(
  ranked: readonly FusedHit[],
  first: number,
  entries: readonly FusedHit[],
): readonly FusedHit[] {
  const isMoved = ({ row }: FusedHit, at: number): boolean => at >= first && isReferenceWork(row.work)
  const others = ranked.filter((hit, at) => isMoved(hit, at) && !entries.includes(hit))
  const inOrder = [...entries, ...others].values()
  return ranked.map((hit, at) => {
    const next = isMoved(hit, at) ? inOrder.next().value : undefined
    if (!next) return hit
    const signals = entries.includes(next) ? { ...next.signals, entry: true as const } : next.signals
    return { ...next, score: hit.score, signals }
  })
}

/** The positions of the query words that name the title of an entry completely; undefined if none do. */
function positionsNaming(
  { row }: FusedHit,
  concepts: readonly FoundConcept[],
  byTerm: ByTerm,
): readonly number[] | undefined {
  if (!isReferenceWork(row.work)) return undefined
  const titles = titlesNamed({ ref: row.ref, heRef: row.he_ref }, byTerm)
  if (titles.length === 0) return undefined
  const found = titles.flatMap((title) => title.concepts).flatMap((i) => concepts[i] ?? [])
  return found.flatMap(({ concept: { position, length } }) => Array.from({ length }, (_, i) => position + i))
}
