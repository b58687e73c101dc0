import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { ServiceError } from '../../errors.ts'
import type { DocumentRanges } from '../index/document-ranges.ts'
import { type PeriodFilter, periodConditions } from '../periods/period-filter.ts'
import { nearestRefs } from '../refs/nearest-refs.ts'
import { worksNamed } from '../refs/title-lookup.ts'
import { headingKey, looseHeadingKey } from '../text/heading-keys.ts'
import { stripControls } from '../text/strip-controls.ts'
import { authorsNamed, nearby } from './author-names.ts'
import { listLanguages } from './catalogue.ts'
import { similarNames } from './similar-names.ts'

/** Limits of a search or listing. Names may be in any known spelling and either script. */
export type LibraryFilter = PeriodFilter & {
  readonly language?: string | undefined
  readonly work?: string | undefined
  readonly author?: string | undefined
  readonly category?: string | undefined
  readonly license?: string | undefined
}

/**
 * SQL conditions on a work `w` for author, category, title and the years in which it was written.
 * @throws ServiceError `invalid_value` with similar names, for a work, author or category that the library does not
 * have, and for a wrong period.
 */
export async function workConditions(
  executor: Executor,
  {
    work,
    author,
    category,
    ...years
  }: Pick<LibraryFilter, 'work' | 'author' | 'category' | keyof PeriodFilter>,
): Promise<readonly SQL[]> {
  const conditions: SQL[] = [...periodConditions(years)]
  if (work) conditions.push(sql`w.id = any(${sql.param(await knownWorks(executor, work))}::int[])`)
  if (author) conditions.push(sql`w.author = any(${sql.param(await authorsNamed(executor, author))}::text[])`)
  if (category)
    conditions.push(sql`w.categories && ${sql.param(await categoriesNamed(executor, category))}::text[]`)
  return conditions
}

/**
 * The documents that match a filter; undefined when all match.
 * @throws ServiceError `invalid_value` with similar names, for a work, author, category or language that the library
 * does not have, and for a wrong period.
 */
export async function documentRanges(
  executor: Executor,
  filter: LibraryFilter,
): Promise<DocumentRanges | undefined> {
  const conditions = [...(await workConditions(executor, filter))]
  if (filter.language) conditions.push(sql`v.language = ${stripControls(filter.language)}`)
  if (filter.license) conditions.push(sql`lower(v.license) = lower(${stripControls(filter.license)})`)
  if (conditions.length === 0) return undefined
  const found = await executor.execute<{ first: number; last: number }>(sql`
    select v.first_doc as first, v.first_doc + v.doc_count - 1 as last
    from versions v join works w on w.id = v.work_id
    where v.doc_count > 0 and ${sql.join(conditions, sql` and `)}
    order by v.first_doc`)
  if (found.rows.length === 0 && filter.language) await requireLanguage(executor, filter.language)
  return found.rows.map((row) => [row.first, row.last] as const)
}

/** @throws ServiceError `invalid_value` when the library has texts, but none in this language. */
async function requireLanguage(executor: Executor, written: string): Promise<void> {
  const language = stripControls(written)
  const languages = await listLanguages(executor)
  if (languages.length === 0 || languages.includes(language)) return
  throw new ServiceError(
    'invalid_value',
    `The library has no texts in the language "${language}". Use one of: ${languages.join(', ')}.`,
    { param: 'language' },
  )
}

async function knownWorks(executor: Executor, written: string): Promise<readonly number[]> {
  const asked = stripControls(written).trim()
  const found = await worksNamed(executor, asked)
  if (found.length > 0) return found
  const near = await nearestRefs(executor, asked)
  throw new ServiceError('invalid_value', `The library has no work "${asked}".${nearby(near)}`, {
    param: 'work',
  })
}

/** Maximum number of names that an error suggests. */
const offered = 5

async function categoriesNamed(executor: Executor, written: string): Promise<readonly string[]> {
  const asked = stripControls(written).trim()
  const { rows } = await executor.execute<{ name: string }>(
    sql`select distinct c as name from works w cross join unnest(w.categories) c order by c`,
  )
  const names = rows.map(({ name }) => name)
  const same = (keyOf: (name: string) => string): readonly string[] => {
    const key = keyOf(asked)
    return names.filter((name) => keyOf(name) === key)
  }
  for (const keyOf of [(name: string) => name.toLowerCase(), headingKey, looseHeadingKey]) {
    const found = same(keyOf)
    if (found.length > 0) return found
  }
  const near = similarNames(asked, names, looseHeadingKey, offered)
  throw new ServiceError('invalid_value', `The library has no category "${asked}".${nearby(near)}`, {
    param: 'category',
  })
}
