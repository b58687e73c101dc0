import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { ReadVersion } from './version.ts'

type Row = {
  readonly ref: string
  readonly he_ref: string
  readonly section_ref: string
  readonly ordinal: number
  readonly text: string
  readonly notes: readonly string[]
}

/**
 * A version is stored as a whole: when only parts of it were fetched, what the library has of the other parts is
 * added to it, or it would be lost.
 * @param parts titles of what was fetched.
 */
export async function withRestOfWork(
  executor: Executor,
  read: ReadVersion,
  parts: readonly string[],
): Promise<ReadVersion> {
  const { language, title } = read.version
  const found = await executor.execute<Row>(sql`
    select p.ref, p.he_ref, p.section_ref, p.ordinal, t.text, t.notes
    from passage_texts t join passages p on p.id = t.passage_id
    where t.version_id = (
      select v.id from versions v join works w on w.id = v.work_id
      where w.title = ${read.work.title} and v.language = ${language} and v.title = ${title})
    order by p.ordinal`)
  const rest = found.rows.filter((row) => !parts.some((part) => isWithin(row.ref, part)))
  if (rest.length === 0) return read
  const places = rest.map((row) => ({
    place: { ref: row.ref, heRef: row.he_ref, sectionRef: row.section_ref },
    order: [0, row.ordinal],
  }))
  return {
    ...read,
    places: [...places, ...read.places.map(({ place, order }) => ({ place, order: [1, ...order] }))],
    version: {
      ...read.version,
      texts: new Map([...rest.map((row) => [row.ref, row.text] as const), ...read.version.texts]),
      notes: new Map([...rest.map((row) => [row.ref, row.notes] as const), ...(read.version.notes ?? [])]),
    },
  }
}

function isWithin(ref: string, part: string): boolean {
  return ref.startsWith(part) && /^(?:$|[ ,:])/.test(ref.slice(part.length))
}
