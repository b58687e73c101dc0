import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { withoutHebrewPiece, withoutPiece } from '../refs/grammar/pieces.ts'
import { spanOf } from '../refs/grammar/ref-parts.ts'
import { refReadings } from '../refs/grammar/refs.ts'

/** The Hebrew ref of a chapter, from that of its first passage: the last number is left out. */
export function hebrewSectionRef(heRef: string): string {
  return heRef.replace(/(?::[^:\s]*| §\S+)$/, '')
}

/** Both refs of a passage. `heRef` is empty when unknown. */
export type PassageRefs = { readonly ref: string; readonly heRef: string }

/** The first passage at each of these passages or chapters. What the library does not have is missing in the result. */
export async function firstPassagesAt(
  executor: Executor,
  refs: readonly string[],
): Promise<ReadonlyMap<string, PassageRefs>> {
  const wanted = [...new Set(refs)]
  if (wanted.length === 0) return new Map()
  const { rows } = await executor.execute<{ wanted: string; ref: string; he_ref: string }>(sql`
    select l.ref as wanted, p.ref, p.he_ref
    from unnest(${sql.param(wanted)}::text[]) as l (ref)
      cross join lateral (
        select ref, he_ref from passages where ref = l.ref or section_ref = l.ref order by ordinal limit 1) p`)
  return new Map(rows.map(({ wanted, ref, he_ref }) => [wanted, { ref, heRef: he_ref }]))
}

/**
 * The Hebrew refs of passages, chapters and ranges. A ref without one in the library is missing in the result; so is a
 * range of which the library does not have both ends.
 */
export async function hebrewRefs(
  executor: Executor,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const single = await hebrewNamesAt(executor, refs)
  const ranges = [...new Set(refs)].filter((ref) => !single.has(ref)).flatMap(rangesIn)
  const ends = await hebrewNamesAt(
    executor,
    ranges.flatMap(({ first, last }) => [first, last]),
  )
  const named = ranges.flatMap(({ ref, first, last }) => {
    const [from, to] = [ends.get(first), ends.get(last)]
    return from === undefined || to === undefined ? [] : [[ref, spanOf(from, to)] as const]
  })
  return new Map([...single, ...named.reverse()])
}

async function hebrewNamesAt(
  executor: Executor,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await firstPassagesAt(executor, refs)
  return new Map(
    [...found].flatMap(([wanted, first]) => {
      const he = hebrewRefOf(wanted, first)
      return he === '' ? [] : [[wanted, he] as const]
    }),
  )
}

/** The ends of a range as single refs, in each reading: `Tanya 1:3` and `Tanya 1:5` for `Tanya 1:3-5`. */
function rangesIn(ref: string) {
  if (!/\d[a-d]?\s?[-–—]\s?[\da-d]/.test(ref)) return []
  return refReadings(ref).flatMap(({ heading, address, until }) =>
    until ? [{ ref, first: `${heading} ${address.join(':')}`, last: `${heading} ${until.join(':')}` }] : [],
  )
}

/**
 * The Hebrew ref of a passage or a chapter, from its first passage. Empty where the Hebrew ref does not show which part
 * of it names the whole.
 */
export function hebrewRefOf(wanted: string, { ref, heRef }: PassageRefs): string {
  if (ref === wanted) return heRef
  if (withoutPiece(ref) === wanted) return withoutHebrewPiece(heRef)
  const section = hebrewSectionRef(heRef)
  return section === heRef ? '' : section
}
