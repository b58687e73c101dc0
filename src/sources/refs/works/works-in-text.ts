import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { headingKey } from '../../text/heading-keys.ts'
import { runInTimeSlices } from '../../text/time-slices.ts'
import { isDistinctTitle } from '../../vocabulary/titles/everyday-titles.ts'
import { isChassidicWork, namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { isAuthorKey, otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { titlesIn } from '../in-text/titles-in-text.ts'
import { scriptureBook } from '../scripture/scripture.ts'
import { wordsIn } from '../text-numbers/text-words.ts'
import { findTitles, worksOf } from '../title-lookup.ts'
import { longestOfEach } from './work-titles.ts'

/** A work that a text names, with or without a number. Range in UTF-16 units; `end` is exclusive. */
export type WorkInText = {
  readonly start: number
  readonly end: number
  readonly written: string
  /** Titles of the works of the library that it means. Empty if the library does not hold the work. */
  readonly held: readonly string[]
  /** All its names, in the form of `headingKey`. */
  readonly names: readonly string[]
}

const longestText = 200_000
/** Maximum number of different titles that are looked up. */
const maxTitles = 100

/**
 * Finds the works that a text names: those of the library, and known chassidic works that it does not hold. Of others,
 * such as the Bible and the Zohar, the texts of the library quote too much without naming them.
 * @returns the titles in order, without overlaps.
 * @throws database errors.
 */
export async function worksInText(executor: Executor, whole: string): Promise<readonly WorkInText[]> {
  const text = whole.slice(0, longestText)
  const words = await runInTimeSlices(wordsIn(text))
  const titles = longestOfEach((await titlesIn(executor, text, words)).filter(({ isExact }) => isExact))
  const named = titles
    .map(({ start, end }) => ({ start, end, written: text.slice(start, end) }))
    .map((title) => ({ ...title, key: headingKey(title.written) }))
    .filter(({ written, key }) => /^[\p{Lu}א-ת]/u.test(written) && !isAuthorKey(key))
  const keys = [...new Map(named.map(({ key, written }) => [key, written]))].slice(0, maxTitles)
  if (keys.length === 0) return []
  const held = await heldWorks(
    executor,
    keys.map(([, written]) => written),
  )
  const byKey = new Map(keys.map(([key], i) => [key, held[i] ?? []]))
  return named.flatMap(({ key, ...title }) => {
    const works = byKey.get(key) ?? []
    const isTitle = works.some((work) => headingKey(work) === key) || isDistinctTitle(key)
    if (!isTitle || (works.length === 0 && !isUnheldWork(key))) return []
    return [{ ...title, held: works, names: namesOf(key) }]
  })
}

function isUnheldWork(key: string): boolean {
  return scriptureBook(key) === undefined && (isChassidicWork(key) || otherTitleKeys(key).length > 0)
}

function namesOf(key: string): readonly string[] {
  return [key, ...otherTitleKeys(key), ...(namesOfKnownWork(key) ?? []).map(headingKey)]
}

async function heldWorks(
  executor: Executor,
  titles: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const found = (await findTitles(executor, titles)).map((named) => worksOf(named?.headings ?? []))
  const ids = [...new Set(found.flat())]
  if (ids.length === 0) return []
  const { rows } = await executor.execute<{ id: number; title: string }>(
    sql`select id, title from works where id = any(${sql.param(ids)}::int[])`,
  )
  const titleOf = new Map(rows.map(({ id, title }) => [id, title]))
  return found.map((works) => works.flatMap((id) => titleOf.get(id) ?? []))
}
