import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import {
  hebrewNumberInWords,
  numberInWords,
  ordinalInWords,
  romanNumber,
} from '../../refs/grammar/number-words.ts'
import { romanNumerals } from '../../refs/grammar/refs.ts'
import type { TitledText } from '../../refs/in-text/titled-text.ts'
import type { TitleInText } from '../../refs/in-text/titles-in-text.ts'
import { resolveRefs } from '../../refs/ref-lookup.ts'
import { findTitles, type Named, worksOf } from '../../refs/title-lookup.ts'
import { medial } from '../../text/fold.ts'
import { headingKey } from '../../text/heading-keys.ts'
import { hebrewNumber, toHebrewNumber } from '../../text/hebrew-numbers.ts'
import { isDistinctTitle } from '../../vocabulary/titles/everyday-titles.ts'

/** A numbered part that the library does not have. Offsets in UTF-16 units. */
export type MissingPart = {
  readonly start: number
  readonly end: number
  readonly written: string
  /** `unheld`: the library does not hold the work. `place`: it holds the work, but no part has this number. */
  readonly kind: 'place' | 'unheld'
  /** Headings of the work. */
  readonly nearest: readonly string[]
}

const before = [
  /(?:\b[Pp]art|\b[Vv]olume|\b[Vv]ol\.) ([\p{L}\d]{1,12}) of (?:the |his |her )?(?:book |sefer )?$/u,
  /\b([\p{L}\d]{1,12}) (?:part|volume) of (?:the |his |her )?(?:book |sefer )?$/u,
  /(?<![א-ת])[בהושמל]{0,2}חלק ה?([א-ת]{1,8})['׳]? (?:של (?:ספר )?|מ|ב)?ה?$/u,
]
const behind = [
  /^['’]s ([\p{L}\d-]{1,12}) (?:part|volume)\b/u,
  /^,? (?:[Pp]art|[Vv]olume|[Vv]ol\.) ([\p{L}\d]{1,12})/u,
  /^,? (?:ב?ה?חלק) ה?([א-ת]{1,8})(?![א-ת"״])/u,
]

/**
 * Finds numbered parts that a stored work does not have (`Tanya, part six`), and parts of known works that the library
 * does not hold.
 * @throws database errors.
 */
export async function missingParts(executor: Executor, titled: TitledText): Promise<readonly MissingPart[]> {
  const { text } = titled
  if (!/\b(?:part|vol)|חלק/iu.test(text)) return []
  const titles = await titled.titles()
  const parts = titles
    .filter(({ isExact }) => isExact)
    .flatMap((title) => partBeside(text, title) ?? [])
    .slice(0, maxParts)
  const found: MissingPart[] = []
  for (const { start, end, name, number } of parts) {
    if ((found.at(-1)?.end ?? -1) > start || (await exists(executor, name, number))) continue
    const [named] = await findTitles(executor, [name])
    const part = { start, end, written: text.slice(start, end) }
    if (!named && isDistinctTitle(headingKey(name))) found.push({ ...part, kind: 'unheld', nearest: [] })
    // Every work has a first part.
    if (named && number > 1)
      found.push({ ...part, kind: 'place', nearest: await headingsBeside(executor, named) })
  }
  return found
}

/** Maximum number of parts; each needs one or two queries. */
const maxParts = 10
const maxNearest = 5

/** Headings of the works that have this title, in reading order. */
async function headingsBeside(executor: Executor, { headings }: Named): Promise<readonly string[]> {
  const { rows } = await executor.execute<{ heading: string }>(sql`
    select heading from headings
    where kind = 'place' and work_id = any(${sql.param(worksOf(headings))}::int[])
    group by work_id, heading order by work_id, min(first_ordinal), heading limit ${maxNearest}`)
  return rows.map(({ heading }) => heading)
}

function partBeside(text: string, { start, end }: TitleInText) {
  const name = text.slice(start, end)
  for (const pattern of before) {
    const match = pattern.exec(text.slice(Math.max(0, start - 60), start))
    const number = match && numberOf(match[1] ?? '')
    if (match && number) return { name, number, start: start - match[0].length, end }
  }
  for (const pattern of behind) {
    const match = pattern.exec(text.slice(end, end + 40))
    const number = match && numberOf(match[1] ?? '')
    if (match && number) return { name, number, start, end: end + match[0].length }
  }
  return undefined
}

/** Parses the number of a part. */
function numberOf(word: string): number | undefined {
  const low = word.toLowerCase()
  const value = /^\d{1,3}$/.test(word)
    ? Number(word)
    : (romanNumber(word) ??
      ordinalInWords([low])?.value ??
      numberInWords([low])?.value ??
      hebrewNumberInWords([medial(word)])?.value ??
      (word.length <= 2 ? hebrewNumber(word) : undefined))
  return value !== undefined && value > 0 ? value : undefined
}

async function exists(executor: Executor, title: string, number: number): Promise<boolean> {
  const names = [
    `${title}, Part ${romanNumerals[number - 1] ?? number}`,
    `${title} חלק ${toHebrewNumber(number)}`,
  ]
  const resolved = await resolveRefs(executor, names)
  return resolved.some(({ found, several }) => found !== undefined || several.length > 0)
}
