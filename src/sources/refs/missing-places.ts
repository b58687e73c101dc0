import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { headingKey, looseHeadingKey } from '../heading-keys.ts'
import { nearestRefs, nearestUnderTitle } from '../nearest-refs.ts'
import { resolveQuery } from '../ref-lookup.ts'
import { citingOnce, type FindCiting } from '../search/citing-passages.ts'
import { knownWorkKeys } from '../vocabulary/known-works.ts'
import { vocabularyTitleKeys } from '../vocabulary/title-groups.ts'
import { type FoundRef, findRefs } from './find-refs.ts'
import { type NamedBook, namedBooks } from './named-books.ts'
import { isPageRef } from './pages.ts'
import { scripturePlace, scriptureQuery } from './scripture-places.ts'

/** A place or a book that a question names and that is not here. */
export type MissingPlace = {
  /** As the question names it; a number with its title: `Tanya ch. 112`. */
  readonly written: string
  /**
   * `place`: the work is here and has no such place. `unheld`: a place of a work that is known and not in this library.
   * `page`: the library knows chapters and no pages. `work`: neither the library nor the vocabulary has a work of that name.
   */
  readonly kind: 'place' | 'page' | 'work' | 'unheld'
  /** Refs or titles that exist, the likeliest first. */
  readonly nearest: readonly string[]
  /** For a place of the Bible or the Talmud: refs of passages that cite it, those that cite it most exactly first. */
  readonly citedBy?: readonly string[]
}

const maxCitedBy = 5

/** Titles that near ones are looked for. */
const maxNearest = 3

/**
 * What a question, or any text, names that does not exist here, in its order, each once: places of works that the library
 * has, numbered places of works that it has not, and books that nobody knows. A known work that is only mentioned is not
 * missing.
 * @throws database errors.
 */
export async function missingPlaces(
  executor: Executor,
  text: string,
  findCiting: FindCiting = citingOnce(executor),
): Promise<readonly MissingPlace[]> {
  const asked = scriptureQuery(text)
  // Names of tractates are common words: they are read where they stand alone with their number.
  if (asked && !(await resolveQuery(executor, text))) {
    const alone = { written: text.trim(), kind: 'unheld' as const, nearest: [] }
    return [await withCiting(findCiting, (await nearestInBook(executor, text)) ?? alone)]
  }
  const refs = await findRefs(executor, text, { numbersOnly: true })
  const missing = refs.filter(({ outcome }) => outcome === 'missing' || outcome === 'unknown_work')
  const books = await unknownBooks(
    executor,
    namedBooks(text).filter(
      (book) => !refs.some((ref) => ref.outcome !== 'unknown_work' && overlap(ref, book)),
    ),
  )
  const places = missing.filter((ref) => !books.some((book) => overlap(ref, book)))
  const found = [
    ...places.map((ref) => ({ at: ref.start, place: placeOf(ref) })),
    ...(await withNearTitles(executor, books)),
  ].toSorted((a, b) => a.at - b.at)
  const once = [...new Map(found.map(({ place }) => [place.written, place])).values()]
  const all: MissingPlace[] = []
  for (const place of once) all.push(await withCiting(findCiting, place))
  return all
}

/** A book of the Bible that the library has, without that place. */
async function nearestInBook(executor: Executor, text: string): Promise<MissingPlace | undefined> {
  const nearest = await nearestUnderTitle(executor, text)
  return nearest.length === 0 ? undefined : { written: text.trim(), kind: 'place', nearest }
}

async function withCiting(findCiting: FindCiting, place: MissingPlace): Promise<MissingPlace> {
  const scripture = scripturePlace(place.written)
  if (!scripture) return place
  const citing = await findCiting(scripture)
  const citedBy = [...new Set(citing.map(({ ref }) => ref))].slice(0, maxCitedBy)
  return { ...place, kind: place.kind === 'work' ? 'unheld' : place.kind, citedBy }
}

function overlap(a: { readonly start: number; readonly end: number }, b: typeof a): boolean {
  return a.start < b.end && b.start < a.end
}

function placeOf({ asked, outcome, nearest }: FoundRef): MissingPlace {
  if (outcome === 'missing') return { written: asked, kind: isPageRef(asked) ? 'page' : 'place', nearest }
  return {
    written: asked,
    kind: isKnownWork(asked.replace(/[\d\s:.,§-]+$/, '')) ? 'unheld' : 'work',
    nearest,
  }
}

async function withNearTitles(
  executor: Executor,
  books: readonly NamedBook[],
): Promise<readonly { readonly at: number; readonly place: MissingPlace }[]> {
  const found: { at: number; place: MissingPlace }[] = []
  for (const { start, title } of books) {
    const nearest = found.length < maxNearest ? await nearestRefs(executor, title) : []
    found.push({ at: start, place: { written: title, kind: 'work', nearest } })
  }
  return found
}

const known: ReadonlySet<string> = new Set([
  ...[...knownWorkKeys].flatMap((key) => [key, looseHeadingKey(key)]),
  ...vocabularyTitleKeys(),
])

/** Whether the vocabulary has a work of that name, by itself or before further words of a ref. */
function isKnownWork(title: string): boolean {
  const words = title.split(/\s+/)
  return words.some((_, i) => keysOf(words.slice(0, i + 1).join(' ')).some((key) => known.has(key)))
}

function keysOf(title: string): readonly string[] {
  return [headingKey(title), looseHeadingKey(title)]
}

/** Words before the name of a book. */
const generic = /^(?:the |sefer |ספר |book |the book )/i

/** Of the books those that neither the vocabulary nor the library knows, in full or as the end of a heading; one statement. */
async function unknownBooks(executor: Executor, books: readonly NamedBook[]): Promise<readonly NamedBook[]> {
  const open = books.filter(
    ({ title }) => !namesOf(title).some((name) => keysOf(name).some((key) => known.has(key))),
  )
  if (open.length === 0) return []
  const rows = open.flatMap(({ title }, i) =>
    namesOf(title).flatMap((name) => keysOf(name).map((key) => ({ i, key }))),
  )
  const found = await executor.execute<{ number: number }>(sql`
    select distinct k.number from unnest(${sql.param(rows.map(({ i }) => i))}::int[],
      ${sql.param(rows.map(({ key }) => key))}::text[]) k (number, key)
    where exists (
      select 1 from headings h where h.key = k.key or right(h.key, length(ltrim(k.key, '~')) + 1) = ' ' || ltrim(k.key, '~'))`)
  const here = new Set(found.rows.map(({ number }) => number))
  return open.filter((_, i) => !here.has(i))
}

/** Words with which many titles begin: what follows them may run past the title. */
const startsGenerically =
  /^(?:ספר|קונטרס|מאמר|א?יגרת|אגרת|חיבור|Sefer|Maamar|Ma'amar|Kuntres|Iggeret|Igeret|Igeres|Iggeres|Heichal|Shaar|Sha'ar|Sichat|Likutei|Likkutei|Toldot|Toldos|Be'er|Beer|Maayan|Ma'ayan|Pirkei|Divrei|Imrei|Netivot|Netivos|Ohr|Or) /

/** A title in full and without a generic word before it; of a Hebrew one without marks also its beginnings. */
function namesOf(title: string): readonly string[] {
  const bare = title.replace(generic, '')
  const words = title.split(' ')
  const beginnings = startsGenerically.test(title)
    ? words.map((_, i) => words.slice(0, i + 1).join(' ')).filter((name) => name.includes(' '))
    : []
  return [...new Set([title, bare, ...beginnings, ...beginnings.map((name) => name.replace(generic, ''))])]
}
