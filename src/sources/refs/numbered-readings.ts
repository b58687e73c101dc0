import type { Executor } from '../../db/client.ts'
import { hebrewNumber } from '../text/hebrew-numbers.ts'
import { type NamedParts, namedParts } from './grammar/numbered-headings.ts'
import { isPageRef } from './grammar/pages.ts'
import { type AddressPart, rangeEnd, trimHeading } from './grammar/ref-parts.ts'
import { normalisedRef, type ParsedRef } from './grammar/refs.ts'
import { isUnitOf } from './grammar/units.ts'
import { matchHeadings, numbersHeadings, unitsOf } from './heading-match.ts'
import { type NumberedWork, numberedWorks } from './numbered-works.ts'
import type { Named } from './title-lookup.ts'

/** A reading by the numbered parts of a work: `Letters, ch. 3, 2` for the passage `Letters, Chapter 3: The Return 2`. */
export type NumberedReading = {
  readonly reading: ParsedRef
  readonly named: Named
  /** Whether the heading has the number with the unit of the ref. Otherwise it has the number alone. */
  readonly isSure: boolean
  /** Whether no heading of the work has the number. `named` has those that are nearest to it. */
  readonly isAbsent?: boolean
}

/** What the numbered headings of a work say about a ref. */
export type NumberedReadings = {
  readonly readings: readonly NumberedReading[]
  /** The numbers under the title of the work itself, whatever their units. They count only if the library has them. */
  readonly own: readonly NumberedReading[]
  /** Set if the parts of the work have such numbers, but not this one. A guess by other headings is wrong then. */
  readonly absent?: NumberedReading | undefined
}

export const noNumberedReadings: NumberedReadings = { readings: [], own: [] }

/**
 * Reads refs by the numbered parts of the works that they name. It sends one statement for all, and another one for
 * refs whose titles the library may have with another first word, such as `Sefer`.
 * @param isNamed whether the library has the title of a ref.
 * @returns one result per ref, in order.
 */
export async function numberedReadings(
  executor: Executor,
  refs: readonly string[],
  isNamed: (index: number) => boolean,
): Promise<readonly NumberedReadings[]> {
  const splits = refs.map(titleSplits)
  const names = new Set(
    splits.flat().flatMap(({ named }) => named.flatMap(({ parts }) => parts.map(({ name }) => name))),
  )
  const works = await numberedWorks(executor, titlesOf(splits), names)
  const open = splits.filter((of, i) => !isNamed(i) && !of.some(({ title }) => works.has(title)))
  const others = new Map(titlesOf(open).map((title) => [title, withOtherHeads(title)]))
  const found = await numberedWorks(executor, [...new Set([...others.values()].flat())], names)
  const workOf = (title: string): NumberedWork | undefined =>
    works.get(title) ?? onlyOne((others.get(title) ?? []).flatMap((other) => found.get(other) ?? []))
  return splits.map((of) => {
    // The longest title that is one is the intended one.
    for (const split of of) {
      const work = workOf(split.title)
      if (work) return readingsIn(split, work)
    }
    return noNumberedReadings
  })
}

function titlesOf(splits: readonly (readonly TitleSplit[])[]): readonly string[] {
  return [...new Set(splits.flatMap((of) => of.map(({ title }) => title)))]
}

function onlyOne(works: readonly NumberedWork[]): NumberedWork | undefined {
  return new Set(works.map(({ workId }) => workId)).size === 1 ? works[0] : undefined
}

function readingsIn(split: TitleSplit, work: NumberedWork): NumberedReadings {
  const units = unitsOf(work.headings)
  const found = split.named.flatMap((named) => readingByHeading(split, named, work, units))
  const sure = found.filter(({ isSure }) => isSure)
  return {
    readings: sure.length > 0 ? sure : found,
    own: split.named.flatMap((named) => readingByNumbers(split, named, work)),
    absent:
      found.length === 0 && split.named.every((named) => numbersHeadings(named, work.headings, units))
        ? absentReading(split, work)
        : undefined,
  }
}

/** Maximum number of headings that are offered for one that does not exist. */
const maxNearest = 5

/** The reading of a number that no heading has. */
function absentReading({ named }: TitleSplit, { title, headings }: NumberedWork): NumberedReading {
  const [{ parts } = { parts: [] }] = named
  const [wanted] = parts
  const distance = (own: NumberedWork['headings'][number]): number =>
    Math.min(
      ...own.parts.map(
        ({ name }) => Math.abs(Number.parseInt(name, 10) - Number.parseInt(wanted?.name ?? '', 10)) || 0,
      ),
    )
  const nearest = headings.toSorted((a, b) => distance(a) - distance(b)).slice(0, maxNearest)
  return {
    reading: { heading: title, address: parts.map(({ name }) => name) },
    named: { headings: nearest, isWork: false, isWhole: true },
    isSure: true,
    isAbsent: true,
  }
}

/** The numbers behind the parts of the heading are the address. */
function readingByHeading(
  { until }: TitleSplit,
  named: NamedParts,
  work: NumberedWork,
  units: ReadonlySet<string>,
): readonly NumberedReading[] {
  const match = matchHeadings(named, work.headings, units)
  const heading = match?.headings[0]
  if (!match || !heading) return []
  const address = named.parts.slice(match.taken).map(({ name }) => name)
  const isRangeOfHeadings = until !== undefined && address.length === 0
  if (isRangeOfHeadings || address.some((name) => name.startsWith('@'))) return []
  const end = until === undefined ? {} : { until: rangeEnd(address, [until]) }
  const isLeaf = endsWithLeaf(named.parts.slice(match.taken))
  return [
    {
      reading: { heading: heading.heading, address, isLeaf, ...end },
      named: { headings: match.headings, isWork: false, isWhole: true },
      isSure: match.isSure,
    },
  ]
}

/** Whether the last number is that of a leaf, or stands for its side: `דף ה`, `דף ה, א`. */
function endsWithLeaf(parts: NamedParts['parts']): boolean {
  const [last, before] = parts.toReversed()
  return last?.unit === 'leaf' || (before?.unit === 'leaf' && last?.unit === undefined)
}

/** Numbers that stand directly under the title of the work: `Sayings, saying 3`, `Zohar I 15a`. */
function readingByNumbers(
  { until }: TitleSplit,
  { parts, words }: NamedParts,
  { workId, title }: NumberedWork,
): readonly NumberedReading[] {
  const isOther = parts.some(({ unit }) => unit !== undefined && !isUnitOf(unit, 'heads'))
  if (words.length > 0 || isOther) return []
  const address = parts.map(({ name }) => name)
  const end = until === undefined ? {} : { until: rangeEnd(address, [until]) }
  return [
    {
      reading: { heading: title, address, isLeaf: endsWithLeaf(parts), ...end },
      named: { headings: [{ heading: title, workId }], isWork: false, isWhole: true },
      isSure: false,
    },
  ]
}

/** A ref cut into the title of a work and the parts behind it. */
export type TitleSplit = {
  readonly title: string
  /** The readings of the parts, likeliest first. */
  readonly named: readonly NamedParts[]
  /** The last number of a range. */
  readonly until: AddressPart | undefined
}

/** Maximum number of words that are tried as the title of a work, so that hostile input stays cheap. */
const maxTitleWords = 14

/** Matches the end of a range: `1:2-3`, `א-ג`. */
const range = /(?<=[\d'"א-ת])\s?[-–—]\s?(\d{1,4}[a-d]?|[א-ת]{1,3}["']?[א-ת]?'?)$/u

/** Matches the characters of titles and numbers. Other characters show that a text is no ref. */
const refCharacters = /^[\p{L}\p{N}\p{M}\s.,:;'"`´׳״‘’“”„()[\]§#¶&–—־-]*$/u

/** All ways to cut a ref before its first part, longest title first. Empty for a ref without a number or portion. */
export function titleSplits(ref: string): readonly TitleSplit[] {
  const text = normalisedRef(ref)
  if (!refCharacters.test(text) || isPageRef(text)) return []
  const found = range.exec(text)
  const until = found?.[1] === undefined ? undefined : numberIn(found[1])
  const written = found && until !== undefined ? text.slice(0, found.index) : text
  return [...written.matchAll(/\S+/gu)]
    .slice(0, maxTitleWords)
    .map(({ index, 0: word }) => {
      const end = index + word.length
      return { title: trimHeading(written.slice(0, end)), named: namedParts(written.slice(end)), until }
    })
    .filter(({ title, named }) => title !== '' && named.length > 0)
    .reverse()
}

function numberIn(written: string): AddressPart | undefined {
  return /^\d/.test(written) ? written : hebrewNumber(written)?.toString()
}

/** Words before a title that say what kind of text it is. People leave them out or add them: `זמירות ב ע"א` for `מסכת זמירות`. */
const hebrewHeads = ['ספר', 'מסכת', 'מסכתא', 'קונטרס', 'סידור', 'מגילת', 'מדרש']
const latinHeads = ['sefer', 'the', 'tractate', 'masechet', 'masekhet', 'kuntres', 'siddur', 'midrash']
const headOf = new RegExp(
  `^(?:${[...hebrewHeads, ...latinHeads, 'maseches', 'mesechta', 'book of'].join('|')})\\s+`,
  'iu',
)

/** A shorter rest is too common a word to be a title. */
const shortestTitle = 3

/** The same title without such a word, and with each other one. */
export function withOtherHeads(title: string): readonly string[] {
  const rest = title.replace(headOf, '')
  if (rest.replace(/[^\p{L}]/gu, '').length < shortestTitle) return []
  const heads = /^[א-ת]/u.test(rest) ? hebrewHeads : latinHeads
  return [...new Set([rest, ...heads.map((head) => `${head} ${rest}`)])].filter((other) => other !== title)
}
