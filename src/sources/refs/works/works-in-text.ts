import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { headingKey } from '../../text/heading-keys.ts'
import { isDistinctTitle } from '../../vocabulary/titles/everyday-titles.ts'
import { isChassidicWork, namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { isAuthorKey, otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { TitledText } from '../in-text/titled-text.ts'
import { scriptureBook } from '../scripture/scripture.ts'
import { findTitles, maxHeadings, worksOf } from '../title-lookup.ts'
import { longestOfEach } from './work-titles.ts'

/** A work that a text names, with or without a number. Range in UTF-16 units; `end` is exclusive. */
export type WorkInText = {
  readonly start: number
  readonly end: number
  readonly written: string
  /** Titles of the works of the library that it means. Empty if the library does not hold the work. */
  readonly held: readonly string[]
  /** If it names parts of a work, such as `Iggeret HaTeshuvah`: their headings. Empty for a whole work. */
  readonly parts: readonly string[]
  /** All its names, in the form of `headingKey`. */
  readonly names: readonly string[]
}

/** Maximum number of different titles that are looked up. */
const maxTitles = 100

/**
 * Finds the works that a text names: those of the library, and known chassidic works that it does not hold. Of others,
 * such as the Bible and the Zohar, the texts of the library quote too much without naming them.
 * @returns the titles in order, without overlaps.
 * @throws database errors.
 */
export async function worksInText(
  executor: Executor,
  whole: string | TitledText,
): Promise<readonly WorkInText[]> {
  const titled = TitledText.of(executor, whole)
  const { text } = await titled.words()
  const titles = longestOfEach((await titled.titles()).filter(({ isExact }) => isExact))
  const named = titles
    .map(({ start, end }) => ({ start, end, written: text.slice(start, end) }))
    .map((title) => ({ ...title, key: headingKey(title.written) }))
    .filter(({ written, key }) => /^[\p{Lu}א-ת]/u.test(written) && !isAuthorKey(key))
  const keys = [...new Map(named.map(({ key, written }) => [key, written]))].slice(0, maxTitles)
  if (keys.length === 0) return []
  const written = keys.map(([, title]) => title)
  const held = await heldWorks(executor, written)
  const byKey = new Map(keys.map(([key], i) => [key, held[i] ?? nothing]))
  const found = named.flatMap(({ key, ...title }) => {
    const { works, parts } = byKey.get(key) ?? nothing
    const isTitle = works.some((work) => headingKey(work) === key) || isDistinctTitle(key)
    if (!isTitle || (works.length === 0 && !isUnheldWork(key))) return []
    const names = namesOf(key)
    return [{ ...title, held: works, parts: isOfWhole(key, names, works) ? [] : parts, names }]
  })
  return withTheirParts(text, found)
}

/** Whether a name means the whole work, although it is also one of its first part: `Sefer HaTanya`, not `Tanya, Part I`. */
function isOfWhole(key: string, names: readonly string[], works: readonly string[]): boolean {
  const isName = works.some((work) => names.includes(headingKey(work)))
  return isName && !names.some((name) => key.startsWith(`${name} `))
}

/** Between the title of a work and that of its part: `Tanya, Iggeret HaTeshuvah`, `תניא, אגרת התשובה`. */
const joint = /^["”’*_]{0,3},? \(?(?:(?:part|חלק) [\p{L}'"׳״]{1,5}[,;:]? )?["“‘*_]{0,3}$/iu

/** Joins the title of a work with that of its part behind it. */
function withTheirParts(text: string, works: readonly WorkInText[]): readonly WorkInText[] {
  const joined: WorkInText[] = []
  for (const work of works) {
    const before = joined.at(-1)
    const isPart =
      before?.parts.length === 0 &&
      work.parts.length > 0 &&
      work.held.every((title) => before.held.includes(title)) &&
      joint.test(text.slice(before.end, work.start))
    if (isPart) {
      const isInBrackets = text.slice(before.end, work.start).includes('(') && text.charAt(work.end) === ')'
      const end = work.end + (isInBrackets ? 1 : 0)
      joined.splice(-1, 1, { ...work, start: before.start, end, written: text.slice(before.start, end) })
    } else joined.push(work)
  }
  return joined
}

function isUnheldWork(key: string): boolean {
  return scriptureBook(key) === undefined && (isChassidicWork(key) || otherTitleKeys(key).length > 0)
}

function namesOf(key: string): readonly string[] {
  return [key, ...otherTitleKeys(key), ...(namesOfKnownWork(key) ?? []).map(headingKey)]
}

/** The works that a title means, and their parts, if it is the title of parts. */
type Held = { readonly works: readonly string[]; readonly parts: readonly string[] }

const nothing: Held = { works: [], parts: [] }

async function heldWorks(executor: Executor, titles: readonly string[]): Promise<readonly Held[]> {
  const named = await findTitles(executor, titles)
  const found = named.map((one) => worksOf(one?.headings ?? []))
  const ids = [...new Set(found.flat())]
  if (ids.length === 0) return titles.map(() => nothing)
  const { rows } = await executor.execute<{ id: number; title: string }>(
    sql`select id, title from works where id = any(${sql.param(ids)}::int[])`,
  )
  const titleOf = new Map(rows.map(({ id, title }) => [id, title]))
  return named.map((one, i) => {
    const works = (found[i] ?? []).flatMap((id) => titleOf.get(id) ?? [])
    const headings = (one?.headings ?? []).map(({ heading }) => heading)
    const isWhole =
      one?.isWork || headings.length > maxHeadings || headings.some((one) => works.includes(one))
    return { works, parts: isWhole ? [] : headings }
  })
}
