import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import type { PassageRef } from '../../index/passage-ref.ts'
import type { VersionText } from './version-text.ts'

type Incoming = { readonly places: readonly PassageRef[]; readonly versions: readonly VersionText[] }

/**
 * Gives the places of an import that have no Hebrew ref the one that the library knows. An import never erases a
 * Hebrew ref, and the index must have the words of the headings that a passage keeps.
 */
export async function withKnownHebrewRefs<T extends Incoming>(
  tx: Executor,
  workId: number,
  incoming: T,
): Promise<T> {
  const bare = incoming.places.flatMap(({ ref, heRef }) => (heRef === '' ? [ref] : []))
  if (bare.length === 0) return incoming
  const found = await tx.execute<{ ref: string; he_ref: string }>(sql`
    select ref, he_ref from passages
    where work_id = ${workId} and he_ref <> '' and ref = any(${sql.param(bare)}::text[])`)
  if (found.rows.length === 0) return incoming
  const known = new Map(found.rows.map(({ ref, he_ref }) => [ref, he_ref]))
  return {
    ...incoming,
    places: incoming.places.map((place) => ({
      ...place,
      heRef: place.heRef || (known.get(place.ref) ?? ''),
    })),
    versions: incoming.versions.map((version) =>
      [...known.keys()].some((ref) => version.texts.has(ref)) ? withoutTerms(version) : version,
    ),
  }
}

/** Terms that were counted without the Hebrew headings are counted again. */
function withoutTerms({ words: _, ...version }: VersionText): VersionText {
  return version
}
