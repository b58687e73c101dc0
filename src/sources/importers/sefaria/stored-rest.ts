import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import type { PassageRef } from '../../index/passage-ref.ts'
import type { VersionText } from '../../library/writing/version-text.ts'
import { headingOf } from '../../refs/grammar/refs.ts'
import type { WorkSchema } from './format/schema.ts'
import { compareOrders, type ReadVersion } from './format/version.ts'

/**
 * What the library has of a work beside a part that was downloaded. A version is stored as a whole, so the rest would
 * otherwise be lost.
 */

export type StoredVersion = {
  readonly id: number
  readonly license: string
  readonly sourceUrl: string
  /** Number of texts. */
  readonly count: number
}

/** The version of the library that an import of this one replaces. */
export async function storedVersion(
  executor: Executor,
  { work, version }: ReadVersion,
): Promise<StoredVersion | undefined> {
  const { rows } = await executor.execute<StoredVersion>(sql`
    select v.id, v.license, v.source_url as "sourceUrl", v.doc_count as count
    from versions v join works w on w.id = v.work_id
    where w.title = ${work.title} and v.language = ${version.language} and v.title = ${version.title}`)
  return rows[0]
}

type StoredText = PassageRef & {
  readonly text: string
  readonly notes: readonly string[]
  readonly url: string
}

/** The texts of a stored version that `version` lacks, in reading order. */
export async function textsBeside(
  executor: Executor,
  { texts }: VersionText,
  { id }: StoredVersion,
): Promise<readonly StoredText[]> {
  const { rows } = await executor.execute<StoredText>(sql`
    select p.ref, p.he_ref as "heRef", p.section_ref as "sectionRef", t.text, t.notes, t.url
    from passage_texts t join passages p on p.id = t.passage_id
    where t.version_id = ${id} order by p.ordinal`)
  return rows.filter(({ ref }) => !texts.has(ref))
}

/** A version with stored texts before its own. */
export function withTexts(version: VersionText, stored: readonly StoredText[]): VersionText {
  const noted = stored.filter(({ notes }) => notes.length > 0)
  const addressed = stored.filter(({ url }) => url !== '')
  return {
    ...version,
    texts: new Map([...stored.map(({ ref, text }) => [ref, text] as const), ...version.texts]),
    notes: new Map([...noted.map(({ ref, notes }) => [ref, notes] as const), ...(version.notes ?? [])]),
    urls: new Map([...addressed.map(({ ref, url }) => [ref, url] as const), ...(version.urls ?? [])]),
  }
}

/** The parts of a work that an import has downloaded. */
export type Fetched = {
  /** Titles of its parts, or the ref of a single section or passage; empty for the whole work. */
  readonly parts: readonly string[]
  /** Refs of sections that could not be read, with their index in the reading order. */
  readonly missing: ReadonlyMap<string, number>
  readonly schema: WorkSchema | undefined
}

/** Adds the stored text of the other parts, and of what could not be read, to a partial download. */
export async function withRestOfWork(
  executor: Executor,
  read: ReadVersion,
  { parts, missing, schema }: Fetched,
): Promise<ReadVersion> {
  const known = parts.length > 0 || missing.size > 0 ? await storedVersion(executor, read) : undefined
  if (!known) return read
  const stored = await textsBeside(executor, read.version, known)
  const numberOf = ({ ref }: StoredText) => [...missing].find(([section]) => isWithin(ref, section))?.[1]
  const unread = stored.flatMap((text, i) => {
    const number = numberOf(text)
    return number === undefined ? [] : [{ text, order: [1, number, i] }]
  })
  const others =
    parts.length === 0
      ? []
      : stored.filter(
          (text) => numberOf(text) === undefined && !parts.some((part) => isWithin(text.ref, part)),
        )
  const at = positionOf(others, read.places[0]?.place.ref ?? '', schema)
  const rest = [...others.map((text, i) => ({ text, order: [i < at ? 0 : 2, i] })), ...unread]
  const places = rest.map(({ text: { ref, heRef, sectionRef }, order }) => ({
    place: { ref, heRef, sectionRef },
    order,
  }))
  const fetched = read.places.map(({ place, order }) => ({ place, order: [1, ...order] }))
  return {
    ...read,
    places: [...places, ...fetched].sort((a, b) => compareOrders(a.order, b.order)),
    version: withTexts(
      read.version,
      rest.map(({ text }) => text),
    ),
  }
}

function isWithin(ref: string, part: string): boolean {
  return ref.startsWith(part) && /^(?:$|[ ,:])/.test(ref.slice(part.length))
}

/**
 * Finds where a new section stands among places of its work: before the next higher number under its heading, otherwise
 * after the headings that come before it in the schema. Without a known order of headings it stands at the end.
 * @param known the places in reading order.
 * @returns an index into `known`.
 */
export function positionOf(
  known: readonly { readonly ref: string }[],
  first: string,
  schema: WorkSchema | undefined,
): number {
  const own = headingOf(first)
  const numbers = numbersAfter(first, own)
  const isLater = (ref: string): boolean => compareOrders(numbersAfter(ref, own), numbers) > 0
  const last = known.findLastIndex(({ ref }) => headingOf(ref) === own)
  const next = known.findIndex(({ ref }) => headingOf(ref) === own && isLater(ref))
  if (last >= 0) return next < 0 ? last + 1 : next
  const headings = schema ? headingsInOrder(schema.root, schema.root.title) : []
  const rank = headings.indexOf(own)
  return rank < 0
    ? known.length
    : known.findLastIndex(({ ref }) => headings.indexOf(headingOf(ref)) < rank) + 1
}

/** The headings of a work in the order of its schema, as they begin refs. */
function headingsInOrder({ nodes }: WorkSchema['root'], title: string): readonly string[] {
  if (nodes.length === 0) return [title]
  return nodes.flatMap((child) => headingsInOrder(child, [title, child.title].filter(Boolean).join(', ')))
}

/** Columns of a leaf of the Talmud or a folio come between its number and the next. */
const sides = 5

function numbersAfter(ref: string, heading: string): readonly number[] {
  return [...ref.slice(heading.length).matchAll(/(\d+)([a-d]?)/g)].map(
    ([, number, side = '']) => Number(number) * sides + ' abcd'.indexOf(side || ' '),
  )
}
