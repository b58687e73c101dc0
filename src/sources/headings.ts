import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { headingKey, looseHeadingKey } from './heading-keys.ts'
import { headingOf } from './refs.ts'
import { headingsOf } from './terms.ts'

/**
 * What a row of `headings` is. `place`: the heading, which passages stand under, by its own name. `work`: the title of a
 * work that has passages under further headings only. `title`: another title, given by the source. `former`: a title
 * that an import replaced.
 */
export type HeadingKind = 'place' | 'work' | 'title' | 'former'

/** Another title of a work or a heading in full, in either language. */
export type OtherTitle = {
  /** The heading as in refs, or the title of the work. */
  readonly heading: string
  readonly title: string
}

/** Headings that went with an import, and what the same text stands under now. */
export type Renamed = ReadonlyMap<string, string>

type Row = {
  readonly key: string
  readonly heading: string
  readonly kind: HeadingKind
  readonly ordinal: number
  readonly ref: string
}

/**
 * Notes the headings of a work under all their keys, anew: an import may have taken some away. Titles that were there
 * before stay as former ones of the same heading, or of what became of it; so do those that the source gave.
 */
export async function saveHeadings(
  tx: Executor,
  workId: number,
  renamed: Renamed = new Map(),
): Promise<void> {
  const rows = await currentRows(tx, workId)
  const known = await tx.execute<Pick<Row, 'key' | 'heading' | 'kind'>>(
    sql`select key, heading, kind from headings where work_id = ${workId} order by kind, key, heading`,
  )
  const byHeading = new Map<string, Row>()
  for (const row of rows.values()) if (!byHeading.has(row.heading)) byHeading.set(row.heading, row)
  const title = [...rows.values()].find((row) => row.kind === 'work')
  for (const { key, heading, kind } of known.rows) {
    const target =
      byHeading.get(heading) ??
      byHeading.get(renamed.get(heading) ?? '') ??
      (kind === 'work' ? title : undefined)
    if (!target) continue
    const kept = kind === 'title' ? 'title' : 'former'
    const id = idOf(key, target.heading)
    if (!rows.has(id)) rows.set(id, { ...target, key, kind: kept })
  }
  await tx.execute(sql`delete from headings where work_id = ${workId}`)
  await insertRows(tx, workId, [...rows.values()])
}

/** The same when keys are made otherwise than before: those of the old make are no former titles. */
export async function remakeHeadings(tx: Executor, workId: number): Promise<void> {
  await tx.execute(sql`delete from headings where work_id = ${workId} and kind in ('place', 'work')`)
  await saveHeadings(tx, workId)
}

function idOf(key: string, heading: string): string {
  return JSON.stringify([key, heading])
}

function keysOf(title: string): readonly string[] {
  return title === '' ? [] : [headingKey(title), looseHeadingKey(title)].filter((key) => /[^~ ]/.test(key))
}

/** The headings that passages of the work stand under now, and its title. */
async function currentRows(tx: Executor, workId: number): Promise<Map<string, Row>> {
  const found = await tx.execute<{ ref: string; he_ref: string; ordinal: number }>(
    sql`select ref, he_ref, ordinal from passages where work_id = ${workId} order by ordinal`,
  )
  const rows = new Map<string, Row>()
  const headings = new Map<string, Omit<Row, 'key'>>()
  const seen = new Set<string>()
  const add = (title: string, row: Omit<Row, 'key'>): void => {
    for (const key of keysOf(title)) {
      const id = idOf(key, row.heading)
      if (!rows.has(id)) rows.set(id, { ...row, key })
    }
  }
  for (const { ref, he_ref, ordinal } of found.rows) {
    const [heading = '', hebrew = ''] = headingsOf({ ref, heRef: he_ref })
    const pair = `${heading}\n${hebrew}`
    if (seen.has(pair)) continue
    seen.add(pair)
    const row = headings.get(heading) ?? { heading, kind: 'place', ordinal, ref }
    headings.set(heading, row)
    for (const title of [heading, hebrew]) add(title, row)
  }
  const [work] = (
    await tx.execute<{ title: string; he_title: string }>(
      sql`select title, he_title from works where id = ${workId}`,
    )
  ).rows
  const [start] = found.rows
  if (!work || !start) return rows
  const whole = { heading: work.title, kind: 'work', ordinal: start.ordinal, ref: start.ref } as const
  for (const title of [work.title, work.he_title]) add(title, headings.get(work.title) ?? whole)
  return rows
}

async function insertRows(tx: Executor, workId: number, rows: readonly Row[]): Promise<void> {
  await tx.execute(sql`
    insert into headings (key, heading, kind, work_id, first_ordinal, first_ref)
    select t.key, t.heading, t.kind, ${workId}, t.ordinal, t.ref from unnest(
      ${sql.param(rows.map((row) => row.key))}::text[], ${sql.param(rows.map((row) => row.heading))}::text[],
      ${sql.param(rows.map((row) => row.kind))}::text[], ${sql.param(rows.map((row) => row.ordinal))}::int[],
      ${sql.param(rows.map((row) => row.ref))}::text[])
      as t (key, heading, kind, ordinal, ref)
    on conflict do nothing`)
}

/** Notes the other titles that the source gives of a work now, instead of those that it gave before. */
export async function saveOtherTitles(
  tx: Executor,
  workId: number,
  titles: readonly OtherTitle[],
): Promise<void> {
  const named = titles.flatMap(({ heading, title }) => keysOf(title).map((key) => ({ key, heading })))
  await tx.execute(sql`delete from headings where work_id = ${workId} and kind = 'title'`)
  await tx.execute(sql`
    insert into headings (key, heading, kind, work_id, first_ordinal, first_ref)
    select distinct on (t.key, t.heading) t.key, t.heading, 'title', ${workId}::int, h.first_ordinal, h.first_ref
    from unnest(${sql.param(named.map(({ key }) => key))}::text[],
        ${sql.param(named.map(({ heading }) => heading))}::text[]) as t (key, heading)
      join headings h on h.work_id = ${workId} and h.heading = t.heading and h.kind in ('place', 'work')
    order by t.key, t.heading, h.first_ordinal
    on conflict do nothing`)
}

/** Texts by ref, and all refs that have one. */
type Incoming = {
  readonly places: readonly { readonly ref: string }[]
  readonly versions: readonly { readonly texts: ReadonlyMap<string, string> }[]
}

/** Passages of a heading that are looked for in the new text. */
const sampled = 50

/**
 * What the headings of a work that an import takes away become. A source that renames a part of a work says nothing of
 * it: but the same words then stand at the same number under another heading. To be called before the old versions go.
 */
export async function renamedHeadings(tx: Executor, workId: number, incoming: Incoming): Promise<Renamed> {
  const coming = new Set(incoming.places.map(({ ref }) => headingOf(ref)))
  const known = await tx.execute<{ heading: string }>(
    sql`select distinct heading from headings where work_id = ${workId} and kind = 'place' order by heading`,
  )
  const gone = known.rows.map(({ heading }) => heading).filter((heading) => !coming.has(heading))
  if (gone.length === 0) return new Map()
  const refsByText = new Map<string, string[]>()
  for (const { texts } of incoming.versions) {
    for (const [ref, text] of texts) {
      const list = refsByText.get(text)
      if (list) list.push(ref)
      else refsByText.set(text, [ref])
    }
  }
  const renamed = new Map<string, string>()
  for (const heading of gone) {
    const now = successor(heading, await sampleOf(tx, workId, heading), refsByText)
    if (now !== undefined) renamed.set(heading, now)
  }
  return renamed
}

type Sample = { readonly ref: string; readonly text: string }

async function sampleOf(tx: Executor, workId: number, heading: string): Promise<readonly Sample[]> {
  const found = await tx.execute<Sample>(sql`
    select p.ref, t.text from passages p join passage_texts t on t.passage_id = p.id
    where p.work_id = ${workId} and (p.ref = ${heading} or starts_with(p.ref, ${`${heading} `}))
    order by p.ordinal, t.doc_id limit ${sampled}`)
  return found.rows.filter(({ ref }) => headingOf(ref) === heading)
}

/** The heading under which most of the texts stand at the same numbers; no other guess is safe. */
function successor(
  heading: string,
  sample: readonly Sample[],
  refsByText: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const votes = new Map<string, number>()
  for (const { ref, text } of sample) {
    const numbers = ref.slice(heading.length)
    for (const now of refsByText.get(text) ?? []) {
      const other = headingOf(now)
      if (now === other + numbers) votes.set(other, (votes.get(other) ?? 0) + 1)
    }
  }
  const all = [...votes.values()].reduce((sum, count) => sum + count, 0)
  return [...votes].find(([, count]) => count * 2 > all)?.[0]
}
