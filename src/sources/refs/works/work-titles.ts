import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { headingKey } from '../../text/heading-keys.ts'
import { isAuthorKey, otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { TitledText } from '../in-text/titled-text.ts'

/** The title of a work of the library in a text. Range in UTF-16 units; `end` is exclusive. */
export type WorkTitle = {
  readonly start: number
  readonly end: number
  readonly written: string
  /** The title of the work as the library writes it. */
  readonly work: string
}

/** Maximum number of titles that are looked up. */
const maxTitles = 400

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
    candidates.slice(0, maxTitles).map(({ key }) => key),
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
