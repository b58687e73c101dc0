import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import type { PassageRef } from '../../index/passage-ref.ts'
import { hebrewHeadingOf } from '../../refs/grammar/refs.ts'
import type { VersionText } from './version-text.ts'

/** A complete version in the library, with its places as they will be. */
export type KnownVersion = {
  readonly id: number
  readonly version: VersionText
  readonly places: readonly PassageRef[]
}

/**
 * Finds versions that the import does not contain, but whose passages get another Hebrew heading. The index stores
 * headings with each text, so these versions must be stored again. Call it before the places are changed.
 * @param replaced versions that the import contains.
 */
export async function reheadedVersions(
  tx: Executor,
  workId: number,
  places: readonly PassageRef[],
  replaced: readonly number[],
): Promise<readonly KnownVersion[]> {
  const incoming = new Map(places.map((place) => [place.ref, place]))
  const known = await tx.execute<{ version_id: number; ref: string; he_ref: string }>(sql`
    select t.version_id, p.ref, p.he_ref from passages p join passage_texts t on t.passage_id = p.id
    where p.work_id = ${workId} and t.version_id <> all(${sql.param(replaced)}::int[])`)
  const touched = new Set<number>()
  for (const { version_id, ref, he_ref } of known.rows) {
    const heRef = incoming.get(ref)?.heRef ?? ''
    if (heRef === '' || heRef === he_ref) continue
    if (hebrewHeadingOf({ ref, heRef }) !== hebrewHeadingOf({ ref, heRef: he_ref })) touched.add(version_id)
  }
  return Promise.all([...touched].map((id) => knownVersion(tx, id, incoming)))
}

type TextRow = {
  readonly ref: string
  readonly he_ref: string
  readonly section_ref: string
  readonly text: string
  readonly url: string
  readonly notes: readonly string[]
}

async function knownVersion(
  tx: Executor,
  id: number,
  incoming: ReadonlyMap<string, PassageRef>,
): Promise<KnownVersion> {
  const facts = await tx.execute<Omit<VersionText, 'texts'>>(sql`
    select language, title, license, source_url as "sourceUrl", machine_made as "machineMade"
    from versions where id = ${id}`)
  const { rows } = await tx.execute<TextRow>(sql`
    select p.ref, p.he_ref, p.section_ref, t.text, t.url, t.notes
    from passage_texts t join passages p on p.id = t.passage_id
    where t.version_id = ${id} order by p.ordinal`)
  const [version] = facts.rows
  if (!version) throw new Error(`version ${id} went while the library was locked`)
  return {
    id,
    version: {
      ...version,
      texts: new Map(rows.map(({ ref, text }) => [ref, text])),
      urls: new Map(rows.flatMap(({ ref, url }) => (url === '' ? [] : [[ref, url] as const]))),
      notes: new Map(rows.flatMap(({ ref, notes }) => (notes.length === 0 ? [] : [[ref, notes] as const]))),
    },
    places: rows.map(({ ref, he_ref, section_ref }) => ({
      ref,
      heRef: incoming.get(ref)?.heRef || he_ref,
      sectionRef: incoming.get(ref)?.sectionRef ?? section_ref,
    })),
  }
}
