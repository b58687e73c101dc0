import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { headingKey, looseHeadingKey, withoutLatinArticles } from '../text/heading-keys.ts'
import { namesOfKnownWork } from '../vocabulary/titles/known-works.ts'
import { isParasha } from '../vocabulary/titles/parashot.ts'
import { otherTitleKeys } from '../vocabulary/titles/title-groups.ts'
import { namesOfBook } from './grammar/scripture.ts'
import { isUnit } from './grammar/units.ts'

export type Heading = { readonly heading: string; readonly workId: number }

/** The headings that a title means. A current title takes precedence over other names. */
export type Named = {
  /** The headings in reading order, at most `maxHeadings` and one more. */
  readonly headings: readonly Heading[]
  /** Whether it is a title of the work itself. */
  readonly isWork: boolean
  /** Whether it is the full title of a heading, and not composed of the title of a work and a part of a heading. */
  readonly isWhole: boolean
}

/** A title with more headings than this is too ambiguous and matches none. */
export const maxHeadings = 8

/** Maximum number of words that are tried as the title of a work, so that hostile input stays cheap. */
const maxTitleWords = 14

/** A key to look up as a whole. A lower rank is more reliable. */
type WholeKey = { readonly key: string; readonly rank: number }
/** A title of a work, and the words after it, which match the end of one of its headings. */
type SplitKey = { readonly title: string; readonly rest: string; readonly rank: number }

/** Ranks: 0 for the text as written, then its synonyms in order. Other spellings begin at this rank. */
const looseRank = 100
/** Readings without an article come after those with it. */
const bareRank = 50

/** Removes the article of a title and of its parts: `התניא`, `The Tanya`, `Masters of Chassidut, The Kotzker Rebbe`. */
function withoutArticle(written: string): string {
  return written.replace(/(?<=^\s*|,\s)(?:the\s+|ה(?=[א-ת]{3}))/giu, '')
}

/** A Latin title with one article more, or without any: `Peri Aretz`, `Kedushat HaLevi`. */
function otherArticles(key: string): readonly string[] {
  const words = key.split(' ')
  if (words.length > maxWithArticle) return []
  const without = withoutLatinArticles(key)
  const more = words.flatMap((word, i) => {
    const takesOne = i > 0 && /^(?!ha)[a-z]{4,}$/.test(word)
    return takesOne ? [words.with(i, `ha${word}`).join(' ')] : []
  })
  return without === key ? more : [without, ...more]
}

/** Longer titles are not tried with other articles, so that hostile input stays cheap. */
const maxWithArticle = 5

function keysFor(written: string): {
  readonly whole: readonly WholeKey[]
  readonly split: readonly SplitKey[]
} {
  const whole: WholeKey[] = []
  const split: SplitKey[] = []
  const bare = withoutArticle(written)
  const numbers = numbersAtEnd(headingKey(written))
  const spellings = [
    { key: headingKey(written), rank: 0 },
    ...(bare === written ? [] : [{ key: headingKey(bare), rank: bareRank }]),
    { key: looseHeadingKey(written), rank: looseRank },
    ...(bare === written ? [] : [{ key: looseHeadingKey(bare), rank: looseRank + bareRank }]),
    ...otherArticles(headingKey(written)).map((key, i) => ({ key, rank: looseRank + bareRank + 1 + i })),
  ]
  for (const { key, rank } of spellings) {
    if (!/[^~ ]/.test(key)) continue
    const synonyms = (title: string): readonly WholeKey[] => [
      { key: title, rank },
      ...otherNames(title).map((other, i) => ({ key: other, rank: rank + 1 + i })),
    ]
    whole.push(...synonyms(key))
    const words = key.split(' ')
    for (let count = Math.min(words.length, maxTitleWords); count >= 1; count -= 1) {
      const rest = words.slice(count).join(' ')
      if (count < words.length && words.length - count <= numbers) continue
      for (const title of synonyms(words.slice(0, count).join(' ')))
        split.push({ title: title.key, rest, rank: title.rank })
    }
  }
  return { whole, split }
}

const namesByKey = new Map<string, readonly string[]>()

/**
 * The keys of the other names of a work, as the vocabulary and the table of the Bible and the Talmud have them. A held
 * work answers to each of them, whatever its importer called it.
 */
function otherNames(key: string): readonly string[] {
  const known = namesByKey.get(key)
  if (known) return known
  // `Bereshit 1` is more often a part named after the weekly portion than chapter 1 of Genesis.
  const isOther = key.startsWith('~') || isParasha(key)
  const names = isOther ? [] : [...(namesOfKnownWork(key) ?? []), ...namesOfBook(key)].map(headingKey)
  const made = [...new Set([...otherTitleKeys(key), ...names])].filter((other) => other !== key)
  // The limit keeps hostile input from growing the table; most words have no other name.
  if (made.length > 0 && namesByKey.size < 4_096) namesByKey.set(key, made)
  return made
}

/** How many words at the end are numbers and units. These are read by `numberedReadings`. Here each would be compared with all headings. */
function numbersAtEnd(key: string): number {
  const words = key.split(' ').reverse()
  const other = words.findIndex((word) => !(/^\d/.test(word) || isUnit(word)))
  return /^\d/.test(words[0] ?? '') ? (other < 0 ? words.length : other) : 0
}

/** The keys under which a title may be stored, with the ranks of `keysFor`. */
export function titleKeys(title: string): readonly WholeKey[] {
  return keysFor(title).whole
}

type Row = {
  readonly asked: number
  readonly heading: string
  readonly work_id: number
  readonly is_work: boolean
  readonly is_whole: boolean
}

/**
 * Finds the meaning of titles, in the order in which they are given. It tries, in this order: the heading of
 * passages; an alternative title of one; the title of a work with the end of one of its headings (`Besht Noach`,
 * `Tanya Iggeret HaKodesh`) or with words that several of them share (`Kedushat Levi, Genesis`); the same in other
 * spellings. The keys are sent once each as one text, with their numbers: ten refs have thousands of rows of a few
 * hundred keys, and the driver escapes each element of an array.
 */
export async function findTitles(
  executor: Executor,
  titles: readonly string[],
): Promise<readonly (Named | undefined)[]> {
  const keys = titles.map(keysFor)
  const words = new Map<string, number>()
  const numberOf = (word: string): number => {
    const number = words.get(word) ?? words.size + 1
    words.set(word, number)
    return number
  }
  const whole = keys.flatMap((of, asked) => of.whole.map(({ key, rank }) => [asked, numberOf(key), rank]))
  const split = keys.flatMap((of, asked) =>
    of.split.map(({ title, rest, rank }) => [asked, numberOf(title), numberOf(rest), rank]),
  )
  const column = (rows: readonly (readonly number[])[], at: number): string =>
    `{${rows.map((row) => row[at]).join(',')}}`
  const found = await executor.execute<Row>(sql`
    with words as materialized (
      select word, number::int from unnest(string_to_array(${[...words.keys()].join('\n')}, chr(10)))
        with ordinality as w (word, number)),
    stored as materialized (
      select k.number, h.*, w.title = h.heading as is_work
      from words k join headings h on h.key = k.word join works w on w.id = h.work_id),
    whole (asked, key, rank) as (select * from unnest(
      ${column(whole, 0)}::int[], ${column(whole, 1)}::int[], ${column(whole, 2)}::int[])),
    split (asked, title, rest, rank) as (select * from unnest(${column(split, 0)}::int[],
      ${column(split, 1)}::int[], ${column(split, 2)}::int[], ${column(split, 3)}::int[])),
    of_work as materialized (
      select s.asked, r.word as rest, s.rank, h.work_id, (h.kind in ('title', 'former'))::int as other
      from split s join stored h on h.number = s.title and h.is_work join words r on r.number = s.rest),
    rests as materialized (select distinct work_id, rest, ' ' || rest || ' ' as words from of_work),
    keys as materialized (
      select work_id, key, key || ' ' as words, heading, first_ordinal, kind from headings
      where work_id = any(array(select distinct work_id from rests)) and kind <> 'work'),
    fitting as materialized (
      select distinct on (r.work_id, r.rest, k.heading) r.work_id, r.rest, k.heading, k.first_ordinal,
        (right(k.key, length(r.rest)) <> r.rest)::int as within, (k.kind <> 'place')::int as other
      from rests r join keys k on k.work_id = r.work_id
      where r.rest = '' and k.kind = 'place' or r.rest <> '' and strpos(k.words, r.words) > 0
      order by r.work_id, r.rest, k.heading, within, other),
    nearest as materialized (
      select *, row_number() over (partition by work_id, rest order by within, other, first_ordinal, heading) as number
      from fitting),
    matches as (
      select k.asked, h.heading, h.work_id, h.first_ordinal, false as is_work, true as is_whole,
        array[k.rank / ${looseRank}, 0, (h.kind <> 'place')::int, k.rank] as rank
      from whole k join stored h on h.number = k.key
      where exists (
        select 1 from headings p where p.work_id = h.work_id and p.heading = h.heading and p.kind = 'place')
      union all
      select o.asked, h.heading, h.work_id, h.first_ordinal, o.rest = '', false,
        array[o.rank / ${looseRank}, 1 + h.within, length(o.rest), o.other, h.other, o.rank]
      from of_work o join nearest h on h.work_id = o.work_id and h.rest = o.rest and h.number <= ${maxHeadings + 1}),
    best as (
      select asked, heading, work_id, first_ordinal, is_work, is_whole, rank,
        rank() over (partition by asked order by rank) as place
      from (select distinct on (asked, heading, work_id) * from matches order by asked, heading, work_id, rank) m)
    select asked, heading, work_id, is_work, is_whole from (
      select *, row_number() over (partition by asked order by work_id, first_ordinal, heading) as number
      from best where place = 1) numbered
    where number <= ${maxHeadings + 1} order by asked, number`)
  const byTitle = Map.groupBy(found.rows, (row) => row.asked)
  return titles.map((_, asked) => {
    const rows = byTitle.get(asked)
    return (
      rows && {
        headings: rows.map(({ heading, work_id }) => ({ heading, workId: work_id })),
        isWork: rows.some((row) => row.is_work),
        isWhole: rows.every((row) => row.is_whole),
      }
    )
  })
}

/** Returns the works of headings. With them, the database searches only these works. */
export function worksOf(headings: readonly Heading[]): readonly number[] {
  return [...new Set(headings.map(({ workId }) => workId))]
}

/** Finds the works with this title, in either language, any spelling, and with alternative and former titles. */
export async function worksNamed(executor: Executor, written: string): Promise<readonly number[]> {
  const [named] = await findTitles(executor, [written])
  return worksOf(named?.headings ?? [])
}
