import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { headingKey } from '../../text/heading-keys.ts'
import { isDistinctTitle } from '../../vocabulary/titles/everyday-titles.ts'
import { isChassidicWork, namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { isAuthorKey, otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { scriptureBook } from '../grammar/scripture.ts'
import { findTitles, maxHeadings, worksOf } from '../title-lookup.ts'
import { TitledText } from './titled-text.ts'

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

/** The title of a work of the library in a text. Range in UTF-16 units; `end` is exclusive. */
export type WorkTitle = {
  readonly start: number
  readonly end: number
  readonly written: string
  /** The title of the work as the library writes it. */
  readonly work: string
}

/** Maximum number of titles that are looked up. */
const maxLookedUp = 400

/** What must stand around a title that may also be ordinary words: quotation marks or emphasis, or such a word before. */
const opening = /["“”„«״'‘*_][ובהלמשכ]{0,2}$/
const closing = /^["“”»״'’*_]/
const introduction =
  /(?:\b(?:book(?: of)?|sefer|seifer|tractate|mase[ck]h(?:et|es|ta|tot)) |(?<![א-ת])[ובהלמשכ]{0,3}(?:ספר|ספרו|מסכת) )["“*_]{0,2}[ובהלמשכ]{0,2}$/i

/** Sections of the library whose works have names of persons, days and things: Esther, Shabbat. */
const everydayNames = ['Tanakh', 'Mishnah', 'Talmud', 'Tosefta']

/**
 * Finds the titles of works that stand without a number: `the Tanya`, `in Torah Or`. Words that only look like a title
 * are left out:
 * - An English title must begin with a capital letter. One word that names a book of the Bible, the Mishnah or the Talmud
 *   (`Esther`), and any Hebrew title, must also be marked: by quotation marks, by emphasis, or by a word such as `Sefer`.
 * - A Hebrew title needs no mark if the text cites the work anyway.
 * @param cited titles of the works that the text cites.
 * @returns the titles in order, without overlaps.
 * @throws database errors.
 */
export async function findWorkTitles(
  executor: Executor,
  whole: string | TitledText,
  cited: ReadonlySet<string> = new Set(),
): Promise<readonly WorkTitle[]> {
  const titled = TitledText.of(executor, whole)
  const { text } = await titled.words()
  const exact = (await titled.titles()).filter(({ isExact }) => isExact)
  const candidates = longestOfEach(exact).map(({ start, end, from, to }) => {
    const written = text.slice(start, end)
    return { start, end, written, key: headingKey(written), isOneWord: to - from === 1 }
  })
  const works = await worksByKey(
    executor,
    candidates.slice(0, maxLookedUp).map(({ key }) => key),
  )
  return candidates.flatMap(({ start, end, written, key, isOneWord }) => {
    const found = works.get(key)
    if (!found || isAuthorKey(key) || !isWhole(text, start, end)) return []
    const isHebrew = /^[א-ת]/.test(written)
    if (!isHebrew && !/^\p{Lu}/u.test(written)) return []
    const needsMark = isHebrew ? !cited.has(found.title) : isOneWord && found.isEverydayName
    return needsMark && !isMarked(text, start, end) ? [] : [{ start, end, written, work: found.title }]
  })
}

/** Of titles that overlap, the first and longest. They come in order, the longest first. */
export function longestOfEach<T extends { readonly start: number; readonly end: number }>(
  titles: readonly T[],
) {
  let end = 0
  return titles.filter((title) => {
    if (title.start < end) return false
    end = title.end
    return true
  })
}

/** Not in a web address, an e-mail address or a name with a hyphen. */
function isWhole(text: string, start: number, end: number): boolean {
  return (
    !/[/@.#=-]$/.test(text.slice(0, start).slice(-1)) && !/^(?:[/@=-]|[.:]\w)/.test(text.slice(end, end + 2))
  )
}

function isMarked(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 30), start)
  const isQuoted = opening.test(before) && closing.test(text.slice(end, end + 1))
  return isQuoted || introduction.test(before) || /^(?:ספר|מסכת|sefer) /i.test(text.slice(start, end))
}

type FoundWork = { readonly title: string; readonly isEverydayName: boolean }

/** The one work that a key names, as its title or as another name of it. */
async function worksByKey(
  executor: Executor,
  keys: readonly string[],
): Promise<ReadonlyMap<string, FoundWork>> {
  const names = [...new Set(keys)].flatMap((key) =>
    [key, ...otherTitleKeys(key)].map((name) => ({ key, name })),
  )
  if (names.length === 0) return new Map()
  const { rows } = await executor.execute<{ key: string; title: string; everyday: boolean }>(sql`
    select n.key, min(w.title) as title, bool_or(w.categories && ${sql.param(everydayNames)}::text[]) as everyday
    from unnest(${sql.param(names.map(({ key }) => key))}::text[], ${sql.param(names.map(({ name }) => name))}::text[])
      as n (key, name)
    join headings h on h.key = n.name join works w on w.id = h.work_id
    where w.title = h.heading
    group by n.key having count(distinct w.id) = 1`)
  return new Map(rows.map(({ key, title, everyday }) => [key, { title, isEverydayName: everyday }]))
}
