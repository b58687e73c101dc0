import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { nearestRefs } from '../refs/nearest-refs.ts'
import { type PassageRange, resolveRef } from '../refs/ref-lookup.ts'
import { loadRange, maxRangePassages, toPassage } from './load-passages.ts'
import type { PassageRow } from './passage-row.ts'
import type { Passage } from './types.ts'

/** One page of the reader: a chapter, or as much of it as fits. */
export type ReadingPage = {
  readonly work: string
  /** In reading order, each in all its versions. */
  readonly passages: readonly Passage[]
  /** Ref of the chapter, if all passages are in one. */
  readonly section: string
  /** The requested passage; undefined if a chapter or a range was requested. */
  readonly asked: string | undefined
  /** Refs of the previous and next page, also across chapters; undefined at the ends of the work. */
  readonly previous: string | undefined
  readonly next: string | undefined
}

/** Maximum bytes of text on a page, in one version per script. A longer chapter is split into several pages. */
const maxBytes = 60_000

/**
 * Finds the page that contains a ref. An unknown ref gives the nearest existing refs.
 * @throws the reason of `signal` when it is aborted; no further statement is sent.
 */
export async function readPage(
  executor: Executor,
  ref: string,
  signal: AbortSignal,
): Promise<ReadingPage | { readonly nearest: readonly string[] }> {
  const place = await resolveRef(executor, ref)
  signal.throwIfAborted()
  if (!place) return { nearest: await nearestRefs(executor, ref, signal) }
  const asked = place.first === place.last ? place.first : undefined
  const rows = asked === undefined ? await rowsOf(executor, place) : await rowsAround(executor, place)
  signal.throwIfAborted()
  const [first] = rows
  const last = rows.at(-1)
  // The work may have been removed between two statements.
  if (!first || !last) return { nearest: [] }
  return {
    work: first.work,
    passages: rows.map(toPassage),
    section: first.section_ref,
    asked: rows.find((row) => row.ordinal === asked)?.ref,
    previous: await neighbour(executor, first, -1),
    next: await neighbour(executor, last, 1),
  }
}

/** The first page of a chapter or range. Of a larger place, the first page of its first chapter. */
async function rowsOf(executor: Executor, place: PassageRange): Promise<readonly PassageRow[]> {
  const rows = await loadRange(executor, place)
  const section = rows[0]?.section_ref
  const whole = place.last - place.first < maxRangePassages
  return pagesOf(whole ? rows : rows.filter((row) => row.section_ref === section))[0] ?? []
}

/** The page of its chapter that contains a passage. */
async function rowsAround(executor: Executor, { workId, first: asked }: PassageRange) {
  const found = await executor.execute<{ first: number; last: number }>(sql`
    select min(p.ordinal) as first, max(p.ordinal) as last from passages p
    where p.work_id = ${workId} and p.section_ref = (
      select a.section_ref from passages a where a.work_id = ${workId} and a.ordinal = ${asked} limit 1)`)
  const { first = asked, last = asked } = found.rows[0] ?? {}
  const start = first + Math.floor((asked - first) / maxRangePassages) * maxRangePassages
  const block = { workId, first: start, last: Math.min(last, start + maxRangePassages - 1) }
  const pages = pagesOf(await loadRange(executor, block))
  return pages.find((rows) => rows.some((row) => row.ordinal === asked)) ?? []
}

/** Splits rows into pages up to the size limit. Passages stay whole. */
function pagesOf(rows: readonly PassageRow[]): readonly (readonly PassageRow[])[] {
  const pages: PassageRow[][] = []
  let bytes = 0
  for (const versions of Map.groupBy(rows, (row) => row.ordinal).values()) {
    const weight = shownBytes(versions)
    const page = pages.at(-1)
    if (page && bytes + weight <= maxBytes) {
      page.push(...versions)
      bytes += weight
    } else {
      pages.push([...versions])
      bytes = weight
    }
  }
  return pages
}

/** Size of a passage as shown: the longest Hebrew version and the longest other version. */
function shownBytes(versions: readonly PassageRow[]): number {
  const longest = (hebrew: boolean) =>
    Math.max(
      0,
      ...versions.filter((v) => (v.language === 'he') === hebrew).map((v) => Buffer.byteLength(v.text)),
    )
  return longest(true) + longest(false)
}

/**
 * Ref of the neighbouring page: that of the neighbouring chapter; or that of its passage, if it is in the same
 * chapter or in a long one before it.
 */
async function neighbour(executor: Executor, edge: PassageRow, step: 1 | -1): Promise<string | undefined> {
  const direction = step === 1 ? sql`p.ordinal > ${edge.ordinal}` : sql`p.ordinal < ${edge.ordinal}`
  const order = step === 1 ? sql`asc` : sql`desc`
  const found = await executor.execute<{ ref: string; section_ref: string; size: number }>(sql`
    select n.ref, n.section_ref,
      (select count(*)::int from passages s where s.section_ref = n.section_ref) as size
    from (select p.ref, p.section_ref from passages p
      where p.work_id = ${edge.work_id} and ${direction} order by p.ordinal ${order} limit 1) n`)
  const [beside] = found.rows
  if (!beside) return undefined
  const isChapter = beside.section_ref !== edge.section_ref && /\d[a-d]?$/.test(beside.section_ref)
  return isChapter && (step === 1 || beside.size <= maxRangePassages) ? beside.section_ref : beside.ref
}
