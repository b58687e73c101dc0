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
  /** Titles of its parts; empty for the whole work. */
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
  const { language, title } = read.version
  const found = await executor.execute<Row>(sql`
    select p.ref, p.he_ref, p.section_ref, p.ordinal, t.text, t.notes
    from passage_texts t join passages p on p.id = t.passage_id
    where t.version_id = (
      select v.id from versions v join works w on w.id = v.work_id
      where w.title = ${read.work.title} and v.language = ${language} and v.title = ${title})
    order by p.ordinal`)
  const rest = found.rows.flatMap((row) => {
    const order = orderOf(row, { parts, missing })
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

/** Sort key of a stored passage; undefined if it was downloaded or the source no longer has it. */
function orderOf({ ref, ordinal }: Row, { parts, missing }: Fetched): readonly number[] | undefined {
  for (const [section, number] of missing) if (isWithin(ref, section)) return [1, number, ordinal]
  return parts.length > 0 && !parts.some((part) => isWithin(ref, part)) ? [0, ordinal] : undefined
}

function isWithin(ref: string, part: string): boolean {
  return ref.startsWith(part) && /^(?:$|[ ,:])/.test(ref.slice(part.length))
}
