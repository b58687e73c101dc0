import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { compareOrders, type ReadVersion } from './format/version.ts'

type Row = {
  readonly ref: string
  readonly he_ref: string
  readonly section_ref: string
  readonly ordinal: number
  readonly text: string
  readonly notes: readonly string[]
}

/** The parts of a work that an import has downloaded. */
export type Fetched = {
  /** Titles of its parts, or the ref of a single section or passage; empty for the whole work. */
  readonly parts: readonly string[]
  /** Refs of sections that could not be read, with their index in the reading order. */
  readonly missing: ReadonlyMap<string, number>
}

/**
 * Adds the stored text of the other parts to a partial download. A version is stored as a whole, so this text would
 * otherwise be lost.
 */
export async function withRestOfWork(
  executor: Executor,
  read: ReadVersion,
  { parts, missing }: Fetched,
): Promise<ReadVersion> {
  if (parts.length === 0 && missing.size === 0) return read
  const { language, title } = read.version
  const found = await executor.execute<Row>(sql`
    select p.ref, p.he_ref, p.section_ref, p.ordinal, t.text, t.notes
    from passage_texts t join passages p on p.id = t.passage_id
    where t.version_id = (
      select v.id from versions v join works w on w.id = v.work_id
      where w.title = ${read.work.title} and v.language = ${language} and v.title = ${title})
    order by p.ordinal`)
  const following = firstAfter(found.rows, parts)
  const rest = found.rows.flatMap((row) => {
    const order = orderOf(row, { parts, missing }, following)
    return order && !read.version.texts.has(row.ref) ? [{ ...row, order }] : []
  })
  if (rest.length === 0) return read
  const places = rest.map((row) => ({
    place: { ref: row.ref, heRef: row.he_ref, sectionRef: row.section_ref },
    order: row.order,
  }))
  const fetched = read.places.map(({ place, order }) => ({ place, order: [1, ...order] }))
  return {
    ...read,
    places: [...places, ...fetched].sort((a, b) => compareOrders(a.order, b.order)),
    version: {
      ...read.version,
      texts: new Map([...rest.map((row) => [row.ref, row.text] as const), ...read.version.texts]),
      notes: new Map([...rest.map((row) => [row.ref, row.notes] as const), ...(read.version.notes ?? [])]),
    },
  }
}

/**
 * Sort key of a stored passage; undefined if it was downloaded or the source no longer has it.
 * @param following ordinal of the first stored passage after the downloaded parts.
 */
function orderOf(
  { ref, ordinal }: Row,
  { parts, missing }: Fetched,
  following: number,
): readonly number[] | undefined {
  for (const [section, number] of missing) if (isWithin(ref, section)) return [1, number, ordinal]
  if (parts.length === 0 || parts.some((part) => isWithin(ref, part))) return undefined
  return [ordinal < following ? 0 : 2, ordinal]
}

/** Where a single downloaded section belongs among the stored passages; infinite if its heading has none. */
function firstAfter(rows: readonly Row[], parts: readonly string[]): number {
  const [only] = parts
  const part = only === undefined || parts.length > 1 ? undefined : numbered(only)
  if (!part) return Number.POSITIVE_INFINITY
  const beside = rows.filter(({ ref }) => numbered(ref)?.heading === part.heading)
  const next = beside.find(({ ref }) => compareOrders(numbered(ref)?.numbers ?? [], part.numbers) > 0)
  return next?.ordinal ?? (beside.at(-1)?.ordinal ?? Number.POSITIVE_INFINITY) + 1
}

/** The heading of a ref and its numbers. The sides of a leaf follow one another: `2a` is 8, `2b` is 9. */
function numbered(
  ref: string,
): { readonly heading: string; readonly numbers: readonly number[] } | undefined {
  const [, heading, address] = /^(.*) (\d+[a-d]?(?::\d+[a-d]?)*)$/.exec(ref) ?? []
  if (heading === undefined || address === undefined) return undefined
  const numbers = address
    .split(':')
    .map((n) => Number.parseInt(n, 10) * 4 + Math.max(0, 'abcd'.indexOf(n.at(-1) ?? '-')))
  return { heading, numbers }
}

function isWithin(ref: string, part: string): boolean {
  return ref.startsWith(part) && /^(?:$|[ ,:])/.test(ref.slice(part.length))
}
