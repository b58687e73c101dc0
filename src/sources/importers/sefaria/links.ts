import { sql } from 'drizzle-orm'
import { type Database, type Executor, withImportTx } from '../../../db/client.ts'
import { messageOf } from '../../../errors.ts'
import { lockLibrary } from '../../library/writing/library.ts'
import { parseCsvLine } from './format/csv.ts'
import type { ReportBuilder } from './report.ts'

/** A row of `links*.csv`. Each side is a ref or a range. */
type Link = { readonly one: string; readonly two: string; readonly kind: string }

const batchRows = 2_000

/**
 * Imports links with at least one side in the library. Each passage of that side gets a link to the other side, as
 * written. A second import adds nothing.
 */
export async function importLinks(
  database: Database,
  files: readonly (() => Promise<AsyncIterable<string>>)[],
  report: ReportBuilder,
): Promise<void> {
  if (files.length === 0) report.note('remarks', 'links', 'the export has no files of links')
  const inLibrary = await withImportTx(database, titleFilter)
  for (const open of files) {
    try {
      let held: Link[] = []
      for await (const line of await open()) {
        const link = readLink(line)
        if (!link || !(inLibrary(link.one) || inLibrary(link.two))) continue
        held.push(link)
        if (held.length < batchRows) continue
        await storeLinks(database, held, report)
        held = []
      }
      await storeLinks(database, held, report)
    } catch (error) {
      report.note('failed', 'a file of links', messageOf(error))
    }
  }
}

/** Filters by title without a query. Most of the millions of links concern works that the library does not have. */
async function titleFilter(executor: Executor): Promise<(citation: string) => boolean> {
  const found = await executor.execute<{ title: string }>(sql`select title from works`)
  const byWord = Map.groupBy(
    found.rows.map((row) => row.title),
    (title) => title.split(/[\s,]/)[0] ?? '',
  )
  return (citation) =>
    (byWord.get(citation.split(/[\s,]/)[0] ?? '') ?? []).some(
      (title) => citation.startsWith(title) && /^([ ,]|$)/.test(citation.slice(title.length)),
    )
}

function readLink(line: string): Link | undefined {
  const [one = '', two = '', kind = ''] = parseCsvLine(line)
  if (one === '' || two === '' || one === 'Citation 1') return undefined
  return { one, two, kind: kind.trim().toLowerCase() }
}

async function storeLinks(database: Database, held: readonly Link[], report: ReportBuilder): Promise<void> {
  if (held.length === 0) return
  await withImportTx(database, async (tx) => {
    await lockLibrary(tx)
    const places = await placesOf(tx, [...new Set(held.flatMap(({ one, two }) => [one, two]))])
    const rows = held.flatMap(({ one, two, kind }) => [
      ...(places.get(one) ?? []).map((from) => ({ from, to: two, kind })),
      ...(places.get(two) ?? []).map((from) => ({ from, to: one, kind })),
    ])
    const written = await tx.execute(sql`
      insert into links (from_ref, to_ref, kind)
      select * from unnest(${sql.param(rows.map((r) => r.from))}::text[], ${sql.param(rows.map((r) => r.to))}::text[],
        ${sql.param(rows.map((r) => r.kind))}::text[])
      on conflict do nothing`)
    report.count({ links: written.rowCount ?? 0 })
  })
}

/** Maximum number of passages of a range that get the link, from its beginning. */
const maxPlaces = 25

/** Finds the passages of the library that each citation covers. */
async function placesOf(
  tx: Executor,
  citations: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ranges = citations.map(endsOf)
  const found = await tx.execute<{ citation: string; ref: string }>(sql`
    select w.citation, p.ref
    from unnest(${sql.param(citations)}::text[], ${sql.param(ranges.map((r) => r.first))}::text[],
        ${sql.param(ranges.map((r) => r.last))}::text[]) as w (citation, first, last)
      cross join lateral (
        select work_id, min(ordinal) as lo, max(ordinal) as hi from passages
        where ref = w.first or section_ref = w.first or section_ref = w.first || ':1'
        group by work_id order by work_id limit 1) a
      cross join lateral (
        select coalesce(max(ordinal), a.hi) as hi from passages
        where w.last <> w.first and (ref = w.last or section_ref = w.last) and work_id = a.work_id) b
      join passages p on p.work_id = a.work_id
        and p.ordinal between a.lo and least(b.hi, a.lo + ${maxPlaces - 1}::int)`)
  const byCitation = Map.groupBy(found.rows, (row) => row.citation)
  return new Map([...byCitation].map(([citation, rows]) => [citation, rows.map((row) => row.ref)]))
}

const range = /^(.*\s)((?:\d+[a-d]?:)*\d+[a-d]?)-((?:\d+[a-d]?:)*\d+[a-d]?)$/

/** The first and last ref of a range. The end contains only the parts that differ: `Genesis 1:1-2`, `1:1-2:1`. */
export function endsOf(citation: string): { readonly first: string; readonly last: string } {
  const [, title, from, to] = range.exec(citation) ?? []
  if (title === undefined || from === undefined || to === undefined)
    return { first: citation, last: citation }
  const start = from.split(':')
  const end = to.split(':')
  const last = [...start.slice(0, Math.max(0, start.length - end.length)), ...end].join(':')
  return { first: title + from, last: title + last }
}
