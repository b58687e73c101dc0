import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { Years } from '../periods/composed.ts'
import { composedYears } from '../periods/period-filter.ts'
import { headingOf, hebrewHeadingOf } from '../refs/grammar/refs.ts'
import { stripControls } from '../text/strip-controls.ts'
import { hebrewRefOf } from './hebrew-refs.ts'
import { versionUrlOf } from './source-url.ts'

/** A category or an author, with the number of its works. */
export type FacetCount = { readonly name: string; readonly works: number }

/** Maximum number of authors shown; those with the most works. */
const maxAuthors = 80

/** Lists categories with the number of their works: the most general ones, or those directly below `category`. */
export async function listCategories(
  executor: Executor,
  category: string | undefined,
): Promise<readonly FacetCount[]> {
  const above = stripControls(category ?? '')
  const found = await executor.execute<FacetCount>(sql`
    select s.name, count(*)::int as works from (
      select case when ${above} = '' then w.categories[1] else w.categories[1 + (
        select min(c.at) from unnest(w.categories) with ordinality c (name, at)
        where lower(c.name) = lower(${above}))::int] end as name
      from works w) s
    where s.name is not null group by s.name order by s.name limit 300`)
  return found.rows
}

/** Lists the authors with the most works, sorted by name. */
export async function listAuthors(executor: Executor): Promise<readonly FacetCount[]> {
  const found = await executor.execute<FacetCount>(sql`
    select a.name, a.works from (
      select w.author as name, count(*)::int as works from works w where w.author <> ''
      group by w.author order by works desc, name limit ${maxAuthors}) a
    order by a.name`)
  return found.rows
}

/** The languages of the library, those with the most texts first. */
export async function listLanguages(executor: Executor): Promise<readonly string[]> {
  const found = await executor.execute<{ language: string }>(sql`
    select language from versions where doc_count > 0 group by language order by sum(doc_count) desc, language`)
  return found.rows.map(({ language }) => language)
}

/** Size of the library. A text is a passage in one version. */
export type LibrarySize = { readonly works: number; readonly versions: number; readonly texts: number }

export async function librarySize(executor: Executor): Promise<LibrarySize> {
  const found = await executor.execute<LibrarySize>(sql`
    select (select count(*)::int from works) as works, count(*)::int as versions,
      coalesce(sum(doc_count), 0)::int as texts
    from versions`)
  return found.rows[0] ?? { works: 0, versions: 0, texts: 0 }
}

export type VersionFacts = {
  readonly language: string
  readonly title: string
  readonly license: string
  readonly url: string
  readonly machineMade: boolean
  /** Number of passages that have a text in this version. */
  readonly texts: number
  readonly importedAt: Date
}

export type Work = {
  readonly id: number
  readonly title: string
  readonly heTitle: string
  readonly author: string
  readonly categories: readonly string[]
  /** When it was written; null if unknown. */
  readonly composed: Years | null
}

/** Finds a work by its title; undefined if there is none. */
export async function findWork(executor: Executor, title: string): Promise<Work | undefined> {
  const found = await executor.execute<Work>(sql`
    select w.id, w.title, w.he_title as "heTitle", w.author, w.categories, ${composedYears} as composed
    from works w where w.title = ${stripControls(title)}`)
  return found.rows[0]
}

/** The Hebrew titles of works. A work without one is missing in the result. */
export async function hebrewTitles(
  executor: Executor,
  titles: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (titles.length === 0) return new Map()
  const { rows } = await executor.execute<{ title: string; he: string }>(sql`
    select title, he_title as he from works where title = any(${sql.param([...new Set(titles)])}::text[]) and he_title <> ''`)
  return new Map(rows.map(({ title, he }) => [title, he]))
}

/** Lists the versions of a work, Hebrew first. */
export async function listVersions(executor: Executor, workId: number): Promise<readonly VersionFacts[]> {
  return (await versionsOf(executor, [workId])).get(workId) ?? []
}

async function versionsOf(
  executor: Executor,
  workIds: readonly number[],
): Promise<ReadonlyMap<number, readonly VersionFacts[]>> {
  type Row = Omit<VersionFacts, 'importedAt'> & {
    readonly workId: number
    readonly work: string
    readonly at: string
  }
  const found = await executor.execute<Row>(sql`
    select v.work_id as "workId", w.title as work, v.language, v.title, v.license, v.source_url as url,
      v.machine_made as "machineMade", v.doc_count as texts, v.imported_at as at
    from versions v join works w on w.id = v.work_id where v.work_id = any(${sql.param(workIds)}::int[])
    order by v.language = 'he' desc, v.language, v.title`)
  const versions = new Map<number, VersionFacts[]>(workIds.map((id) => [id, []]))
  for (const { workId, work, at, ...version } of found.rows)
    versions.get(workId)?.push({ ...version, url: versionUrlOf(work, version.url), importedAt: new Date(at) })
  return versions
}

/** A heading of a work with its chapters, or with its passages if it has no chapters. */
export type Part = {
  /** The heading as in refs, such as `Tanya, Part I; Likkutei Amarim`. */
  readonly heading: string
  readonly heHeading: string
  readonly passages: number
  readonly chapters: readonly Chapter[]
}

/** `heRef` is empty when unknown. */
export type Chapter = { readonly ref: string; readonly heRef: string; readonly passages: number }

/** Lists the parts of a work with their chapters, in reading order. */
export async function tableOfContents(executor: Executor, workId: number): Promise<readonly Part[]> {
  const found = await executor.execute<Omit<Chapter, 'heRef'> & { first: string; firstHeRef: string }>(sql`
    select c.ref, count(*)::int as passages, (array_agg(c.own order by c.ordinal))[1] as first,
      (array_agg(c.he_ref order by c.ordinal))[1] as "firstHeRef"
    from (select case when p.section_ref ~ '[0-9][a-d]?$' then p.section_ref else p.ref end as ref,
        p.ref as own, p.he_ref, p.ordinal
      from passages p where p.work_id = ${workId}) c
    group by c.ref order by min(c.ordinal)`)
  const parts = new Map<string, { heHeading: string; passages: number; chapters: Chapter[] }>()
  for (const { ref, passages, first, firstHeRef } of found.rows) {
    const heading = headingOf(first)
    const part = parts.get(heading) ?? {
      heHeading: shownHeading(first, firstHeRef),
      passages: 0,
      chapters: [],
    }
    part.passages += passages
    part.chapters.push({ ref, heRef: hebrewRefOf(ref, { ref: first, heRef: firstHeRef }), passages })
    parts.set(heading, part)
  }
  return [...parts].map(([heading, part]) => ({ heading, ...part }))
}

/** A Hebrew heading as printed, with its commas and without the numbers after it. */
function shownHeading(ref: string, heRef: string): string {
  const heading = hebrewHeadingOf({ ref, heRef })
  return heRef.startsWith(heading) ? heading : heRef.replace(/\s+\S+$/, '')
}

/** A work with its versions, as shown to operators. */
export type WorkWithVersions = Pick<Work, 'title' | 'heTitle'> & {
  readonly versions: readonly VersionFacts[]
}

/**
 * Lists works with their versions, sorted by title.
 * @param page.after title after which the page begins.
 */
export async function listWorkVersions(
  executor: Executor,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<readonly WorkWithVersions[]> {
  const found = await executor.execute<Pick<Work, 'id' | 'title' | 'heTitle'>>(sql`
    select id, title, he_title as "heTitle" from works where title > ${stripControls(page.after ?? '')} order by title limit ${page.limit}`)
  const versions = await versionsOf(
    executor,
    found.rows.map(({ id }) => id),
  )
  return found.rows.map(({ id, ...names }) => ({ ...names, versions: versions.get(id) ?? [] }))
}
