import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { headingKey } from '../text/heading-keys.ts'
import { hebrewNumeral } from '../text/hebrew-numbers.ts'
import { lazy } from '../text/lazy.ts'
import { parashaWords } from '../vocabulary/titles/parashot.ts'
import { numberWords, toRomanNumber } from './grammar/number-words.ts'
import { type NumberedHeading, numberedHeading } from './grammar/numbered-headings.ts'
import { type Heading, titleKeys } from './title-lookup.ts'

/** A heading with its numbered parts. */
export type HeadingWithParts = Heading & NumberedHeading

/** A work that a title names: its first headings with numbered parts, and all with a number asked for. */
export type NumberedWork = {
  readonly workId: number
  readonly title: string
  readonly headings: readonly HeadingWithParts[]
}

type Row = { readonly asked: string | null; readonly work_id: number; readonly name: string }

/**
 * Maximum number of headings that have one of the numbers. Words such as `first` stand in every heading of some works;
 * headings with the number itself come before them.
 */
const maxHeadings = 500

/** Number of first headings of a work that show how its parts are numbered. */
const sampled = 100

/**
 * Finds the work that each title names in the most reliable way, with one statement. A title that names several or
 * none is absent. A work may have thousands of headings, so the database selects those that matter.
 * @param names of the parts that the refs have.
 */
export async function numberedWorks(
  executor: Executor,
  titles: readonly string[],
  names: Iterable<string>,
): Promise<ReadonlyMap<string, NumberedWork>> {
  const asked = titles.flatMap((title) => titleKeys(title).map((one) => ({ title, ...one })))
  if (asked.length === 0) return new Map()
  const { rows } = await executor.execute<Row>(sql`
    with ranked as (
      select a.asked, w.id, w.title,
        rank() over (partition by a.asked order by min(a.rank + 1000 * (h.kind = 'former')::int)) as place
      from unnest(string_to_array(${asked.map(({ title }) => title).join('\n')}, chr(10)),
          string_to_array(${asked.map(({ key }) => key).join('\n')}, chr(10)),
          string_to_array(${asked.map(({ rank }) => rank).join('\n')}, chr(10))::int[]) as a (asked, key, rank)
        join headings h on h.key = a.key join works w on w.id = h.work_id and w.title = h.heading
      group by a.asked, w.id, w.title),
    meant as (
      select asked, min(id) as work_id, min(title) as name from ranked where place = 1
      group by asked having count(*) = 1),
    having_number as (
      select h.work_id, h.heading
      from headings h cross join lateral unnest(string_to_array(h.key, ' ')) as own (word)
        join unnest(${sql.param(spellingsOf(names))}::text[]) with ordinality as asked (word, rank)
          on asked.word = own.word
      where h.kind = 'place' and not starts_with(h.key, '~') and h.work_id in (select work_id from meant)
      group by h.work_id, h.heading order by max(asked.rank) desc limit ${maxHeadings}),
    placed as (
      select work_id, heading, min(first_ordinal) as place,
        row_number() over (partition by work_id order by min(first_ordinal), heading) as number
      from headings where kind = 'place' and work_id in (select work_id from meant) group by work_id, heading)
    select asked, work_id, name, 0 as place from meant
    union all
    select null, p.work_id, p.heading, p.place from placed p left join having_number n using (work_id, heading)
    where p.number <= ${sampled} or n.work_id is not null
    order by asked, work_id, place`)
  const headings = Map.groupBy(
    rows.filter((row) => row.asked === null).map(({ work_id, name }) => withParts(work_id, name)),
    ({ workId }) => workId,
  )
  return new Map(
    rows.flatMap(({ asked: title, work_id, name }) => {
      if (title === null) return []
      const own = (headings.get(work_id) ?? []).filter(({ parts }) => parts.length > 0)
      return [[title, { workId: work_id, title: name, headings: own }] as const]
    }),
  )
}

const known = new Map<string, NumberedHeading>()

function withParts(workId: number, heading: string): HeadingWithParts {
  const read = known.get(heading) ?? numberedHeading(heading)
  // A library has some ten thousand headings. The limit bounds the memory.
  if (known.size < 50_000) known.set(heading, read)
  return { workId, heading, ...read }
}

/** Letters of a unit that may be joined to a Hebrew number: `פכ"ג`, `סי"א`, `ח"ב`. */
const glued = ['', 'פ', 'ס', 'ח', 'בפ', 'בח', 'הח']
const ordinalEnds = ['st', 'nd', 'rd', 'th']

const words = lazy(() => numberWords().map(headingKey))

/**
 * Words of which a heading must have one, if it has a part of one of these names, in the form of `headingKey`. Numbers
 * may be spelled in several words, so all words of numbers are among them.
 * @param names as in `NumberedPart`.
 */
export function spellingsOf(names: Iterable<string>): readonly string[] {
  const spellings = new Set(words())
  for (const name of names) {
    if (name.startsWith('@')) for (const word of parashaWords(name.slice(1))) spellings.add(word)
    else for (const word of spellingsOfNumber(name)) spellings.add(word)
  }
  return [...spellings]
}

function spellingsOfNumber(name: string): readonly string[] {
  const number = Number.parseInt(name, 10)
  const hebrew = headingKey(hebrewNumeral(number))
  const roman = toRomanNumber(number).toLowerCase()
  return [
    name,
    ...ordinalEnds.map((end) => `${number}${end}`),
    ...glued.flatMap((unit) => [unit + hebrew, unit + hebrew.replace('ער', 'רע')]),
    ...(roman === '' ? [] : [roman]),
  ]
}
