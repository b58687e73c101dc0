import type { PassageRow } from '../library/passage-row.ts'
import { addNamedPassages, type NamedPassages } from './named/named-passages.ts'
import { collapse, type FusedHit } from './scoring/fusion.ts'

/** Number of hits by language. */
export type LanguageCounts = ReadonlyMap<string, number>

/**
 * Counts the hits that the same search has in each language alone. A passage counts in every language in which one of its
 * texts was found. Neighbours are reduced in each language separately, as that search does it.
 * @param ranked passages before neighbours are reduced.
 * @param texts the found texts, in all versions.
 */
export function countLanguages(
  ranked: readonly FusedHit[],
  texts: Iterable<PassageRow>,
  named: NamedPassages,
): LanguageCounts {
  const refs = new Map<string, Set<string>>()
  for (const { language, ref } of [...texts, ...named.texts]) {
    const held = refs.get(language)
    if (held) held.add(ref)
    else refs.set(language, new Set([ref]))
  }
  return new Map(
    [...refs].map(([language, held]) => {
      const found = ranked.filter(({ row }) => held.has(row.ref))
      const rows = named.rows.filter(({ ref }) => held.has(ref))
      return [language, collapse(addNamedPassages({ rows, isRef: named.isRef }, found)).length]
    }),
  )
}
