import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { withoutHebrewPiece, withoutPiece } from './grammar/pieces.ts'
import { hebrewHeadingOf } from './grammar/refs.ts'

/**
 * Reads the Hebrew names of refs and titles that have one: `תניא פרק נג` for `Tanya 53`. It sends one statement.
 * @throws database errors.
 */
export async function hebrewNames(
  executor: Executor,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (refs.length === 0) return new Map()
  const { rows } = await executor.execute<{
    asked: string
    ref: string
    he_ref: string
    is_title: boolean
  }>(sql`
    select distinct on (a.ref) a.ref as asked, p.ref, p.he_ref, p.is_title
    from unnest(${sql.param([...new Set(refs)])}::text[]) as a (ref)
      cross join lateral (
        (select ref, he_ref, false as is_title from passages where ref = a.ref or section_ref = a.ref order by ordinal limit 1)
        union all
        (select p.ref, p.he_ref, true from headings h join passages p on p.work_id = h.work_id and p.ref = h.first_ref
          where h.heading = a.ref and h.kind = 'place' limit 1)) p
    where p.he_ref <> ''
    order by a.ref, p.is_title`)
  return new Map(
    rows.flatMap(({ asked, ref, he_ref: heRef, is_title: isTitle }) => {
      const name = isTitle ? hebrewHeadingOf({ ref, heRef }) : nameOfPlace(asked, ref, heRef)
      return name === '' ? [] : [[asked, name] as const]
    }),
  )
}

/** Derives the Hebrew name of a place from that of its first passage. */
function nameOfPlace(asked: string, ref: string, heRef: string): string {
  const whole = withoutHebrewPiece(heRef)
  if (withoutPiece(ref) === asked) return whole
  return whole.includes(':') ? whole.replace(/:[^:]*$/, '') : ''
}
