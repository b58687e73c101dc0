import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { headingsOf } from '../../index/terms.ts'
import { headingOf } from '../../refs/grammar/refs.ts'
import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'

/**
 * Kind of a row in `headings`. `place`: a heading with passages, under its own name. `work`: the title of a work
 * whose passages all have further headings. `title`: an alternative title from the source. `former`: a title that an
 * import replaced.
 */
export type HeadingKind = 'place' | 'work' | 'title' | 'former'

/** An alternative title of a work or of a full heading, in either language. */
export type OtherTitle = {
  /** The heading as in refs, or the title of the work. */
  readonly heading: string
  readonly title: string
}

/** Headings that an import removed, with the heading that their text has now. */
export type Renamed = ReadonlyMap<string, string>

type Row = {
  readonly key: string
  readonly heading: string
  readonly kind: HeadingKind
  readonly ordinal: number
  readonly ref: string
}

/**
 * Replaces the headings of a work under all their keys. Earlier titles become former titles of the same heading, or
 * of its successor. Alternative titles from the source stay.
 * @param places the passages of the work in their order, if the caller knows them.
 */
export async function saveHeadings(
  tx: Executor,
  workId: number,
  renamed: Renamed = new Map(),
  places?: readonly Place[],
): Promise<void> {
  const { rows, work } = await currentRows(tx, workId, places ?? (await storedPlaces(tx, workId)))
  const known = await tx.execute<Pick<Row, 'key' | 'heading' | 'kind'>>(
    sql`select key, heading, kind from headings where work_id = ${workId} order by kind, key, heading`,
  )
  const byHeading = new Map<string, Omit<Row, 'key'>>()
  for (const row of rows.values()) if (!byHeading.has(row.heading)) byHeading.set(row.heading, row)
  for (const { key, heading, kind } of known.rows) {
    const target =
      byHeading.get(heading) ??
      byHeading.get(renamed.get(heading) ?? '') ??
      (kind === 'work' ? work : undefined)
    if (!target) continue
    const kept = kind === 'title' ? 'title' : 'former'
    const id = idOf(key, target.heading)
    if (!rows.has(id)) rows.set(id, { ...target, key, kind: kept })
  }
  await tx.execute(sql`delete from headings where work_id = ${workId}`)
  await insertRows(tx, workId, [...rows.values()])
}

/** Rebuilds the headings after the rules for keys changed. Keys by the old rules do not become former titles. */
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

type Current = { readonly rows: Map<string, Row>; readonly work: Omit<Row, 'key'> | undefined }

type Place = { readonly ref: string; readonly heRef: string; readonly ordinal: number }

async function storedPlaces(tx: Executor, workId: number): Promise<readonly Place[]> {
  const found = await tx.execute<Place>(
    sql`select ref, he_ref as "heRef", ordinal from passages where work_id = ${workId} order by ordinal`,
  )
  return found.rows
}

/** The current headings of the work's passages, and the title of the work. */
async function currentRows(tx: Executor, workId: number, places: readonly Place[]): Promise<Current> {
  const rows = new Map<string, Row>()
  const headings = new Map<string, Omit<Row, 'key'>>()
  const seen = new Set<string>()
  const add = (title: string, row: Omit<Row, 'key'>): void => {
    for (const key of keysOf(title)) {
      const id = idOf(key, row.heading)
      if (!rows.has(id)) rows.set(id, { ...row, key })
    }
  }
  for (const { ref, heRef, ordinal } of places) {
    const [heading = '', hebrew = ''] = headingsOf({ ref, heRef })
    const pair = `${heading}\n${hebrew}`
    if (seen.has(pair)) continue
    seen.add(pair)
    const row = headings.get(heading) ?? { heading, kind: 'place', ordinal, ref }
    headings.set(heading, row)
    for (const title of [heading, hebrew]) add(title, row)
  }
  const [start] = places
  const [titles] = (
    await tx.execute<{ title: string; he_title: string }>(
      sql`select title, he_title from works where id = ${workId}`,
    )
  ).rows
  if (!titles || !start) return { rows, work: undefined }
  const work = headings.get(titles.title) ?? {
    heading: titles.title,
    kind: 'work',
    ordinal: start.ordinal,
    ref: start.ref,
  }
  for (const title of [titles.title, titles.he_title]) add(title, work)
  return { rows, work }
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

/** Stores the alternative titles of a work from the source, and deletes the earlier ones. */
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

/** The texts by ref, and all refs that have a text. */
type Incoming = {
  readonly places: readonly { readonly ref: string }[]
  readonly versions: readonly { readonly texts: ReadonlyMap<string, string> }[]
}

/** Number of passages of a heading that are searched in the new text. */
const sampled = 50

/**
 * Finds the new names of headings that an import removes. A source does not say that it renamed a part, but the same
 * words then stand at the same numbers under another heading. Call it before the old versions are deleted.
 */
export async function renamedHeadings(tx: Executor, workId: number, incoming: Incoming): Promise<Renamed> {
  const known = await tx.execute<{ heading: string }>(
    sql`select distinct heading from headings where work_id = ${workId} and kind = 'place'`,
  )
  if (known.rows.length === 0) return new Map()
  const coming = new Set(incoming.places.map(({ ref }) => headingOf(ref)))
  const gone = new Set(known.rows.map(({ heading }) => heading).filter((heading) => !coming.has(heading)))
  if (gone.size === 0) return new Map()
  const refsByText = new Map<string, string[]>()
  for (const { texts } of incoming.versions) {
    for (const [ref, text] of texts) {
      const list = refsByText.get(text)
      if (list) list.push(ref)
      else refsByText.set(text, [ref])
    }
  }
  const samples = Map.groupBy(await sampleOf(tx, workId, gone), ({ ref }) => headingOf(ref))
  return new Map(
    [...samples].flatMap(([heading, sample]) => {
      const now = successor(heading, sample, refsByText)
      return now === undefined ? [] : [[heading, now] as const]
    }),
  )
}

type Sample = { readonly ref: string; readonly text: string }

/** Reads the first passages of each of the headings. */
async function sampleOf(
  tx: Executor,
  workId: number,
  headings: ReadonlySet<string>,
): Promise<readonly Sample[]> {
  const places = await tx.execute<{ id: string; ref: string }>(
    sql`select id, ref from passages where work_id = ${workId} order by ordinal`,
  )
  const ids = [...Map.groupBy(places.rows, ({ ref }) => headingOf(ref))]
    .filter(([heading]) => headings.has(heading))
    .flatMap(([, of]) => of.slice(0, sampled).map(({ id }) => id))
  const found = await tx.execute<Sample>(sql`
    select p.ref, t.text from passage_texts t join passages p on p.id = t.passage_id
    where p.id = any(${sql.param(ids)}::bigint[])`)
  return found.rows
}

/** The heading that has most of the texts at the same numbers. A smaller match would be a guess. */
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
