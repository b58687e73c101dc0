export type { AddressPart, ParsedRef } from './ref-parts.ts'

import { headingKey } from '../../text/heading-keys.ts'
import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { chapterIn, hebrewReadings, printedHebrewAddress } from './hebrew-refs.ts'
import { withDigits, withRomanDigits } from './number-words.ts'
import { isLeafRef, isPageRef } from './pages.ts'
import { withoutHebrewPiece, withoutPiece } from './pieces.ts'
import { type AddressPart, type ParsedRef, rangeEnd, trimHeading } from './ref-parts.ts'
import { latinUnitPattern } from './units.ts'

const number = '\\d{1,4}[a-d]?'
const separator = '(?:\\s*[.:,]\\s*|\\s+)'
const numbers = `${number}(?:${separator}(?:${latinUnitPattern}\\s*)?${number})*`
const latinAddress = new RegExp(
  `^(.*?)(?:^|[\\s.,:_]+)(?:${latinUnitPattern}\\s*)?(${numbers})(?:\\s*[-–—]\\s*(${numbers}|[a-d]))?$`,
  'iu',
)

/** Maximum characters of a ref. Of a longer text only the beginning is parsed, so that hostile input stays cheap. */
const longestRef = 600

/** Maximum number of readings per ref, because each is looked up in the library. */
const maxReadings = 12

/**
 * Parses a ref in all possible ways, most likely first; the library knows which of them exists. `ברכות ב א` may be a
 * leaf with its side, or a chapter and a paragraph. The last readings take the whole text as a heading, and a
 * Roman number at its end as a number.
 */
export function refReadings(written: string): readonly ParsedRef[] {
  const text = normalisedRef(written)
  const whole = { heading: trimHeading(text), address: [] }
  if (isPageRef(text)) return [whole]
  const readings = [...(/[א-ת]/.test(text) ? hebrewReadings(text) : []), ...latinReadings(text)]
  // A title may itself end with a Roman number, `Tanya, Part II`, so that reading comes first.
  const roman = withRomanDigits(text)
  const all = [...distinct(readings).slice(0, maxReadings), whole, ...(roman ? latinReadings(roman) : [])]
  return isLeafRef(text) ? all.map((reading) => ({ ...reading, isLeaf: true })) : all
}

/**
 * Parses a ref in any form: `Tanya, Part I; Likkutei Amarim 32:4`, `Likutei Moharan 282.1`, `Berakhot 2a-3b`,
 * `Tanya,_Part_I;_Likkutei_Amarim.32.4` (also percent-encoded), `Tanya chapter 32`, `תניא פרק ל"ב`, `ברכות ב ע"א`,
 * `ברכות ב׳ א:ה׳`. It returns the most likely reading. Without numbers the whole text is the heading.
 */
export function parseRef(written: string): ParsedRef {
  const [first] = refReadings(written)
  return first ?? { heading: '', address: [] }
}

const siteAddress = /^(?:https?:\/\/)?(?:www\.|voices\.)?sefaria\.org(?:\.il)?\/([^?#]*).*$/i
/** Matches a URL of this service's reader, with any host. */
const readerAddress = /^(?:https?:\/\/[^/\s]+)?\/library\/read\/([^?#/]+).*$/i

/** A ref without the address of a site and percent-encoding, with digits for numbers in words. */
export function normalisedRef(written: string): string {
  const bare = written.slice(0, longestRef).trim().replace(siteAddress, '$1').replace(readerAddress, '$1')
  const text = decoded(bare)
    .normalize('NFKC')
    .replace(/[_\s]+/g, ' ')
    .trim()
  return withEpistles(withDigits(withEndOfOpenRange(text)))
}

const openRange = /(?<=^|[\s,:.])([א-ת"'׳״]{1,7}|\d{1,4})(?:\s?(ff?)\.?| (ואילך|והלאה))$/u

/** Writes the end of an open range: `15f` is 15-16, `15ff` and `ט"ו ואילך` are 15-17. An end after the last place is cut. */
function withEndOfOpenRange(text: string): string {
  return text.replace(openRange, (whole, written: string, latin?: string) => {
    const bare = written.replace(/[׳״]/g, (mark) => (mark === '׳' ? "'" : '"'))
    const chapter = chapterIn(bare)
    const number = /^\d/.test(bare) ? Number(bare) : hebrewNumber(chapter ?? bare)
    if (number === undefined) return whole
    return `${chapter === undefined ? '' : 'פרק '}${number}-${number + (latin?.length ?? 2)}`
  })
}

function decoded(written: string): string {
  try {
    return /%[0-9a-f]{2}/i.test(written) ? decodeURIComponent(written) : written
  } catch {
    return written
  }
}

function distinct(readings: readonly ParsedRef[]): readonly ParsedRef[] {
  return [...new Map(readings.map((reading) => [JSON.stringify(reading), reading])).values()]
}

/** Matches the stored form of a ref: the numbers are one word, even if the title ends with a number. */
const canonicalAddress = /^(.* )(\d[\d:.a-d]*)(?:-(\d[\d:.a-d]*))?$/

function latinReadings(text: string): readonly ParsedRef[] {
  return [...readingsBy(latinAddress, text), ...readingsBy(canonicalAddress, text)]
}

function readingsBy(form: RegExp, text: string): readonly ParsedRef[] {
  const [, title = '', first, last] = form.exec(text) ?? []
  if (first === undefined) return []
  const heading = trimHeading(title)
  const address = splitNumbers(first)
  const until = last === undefined ? undefined : rangeEnd(address, latinEnd(address, last))
  const reading = { heading, address, ...(until && { until }) }
  const part =
    partNumber.test(heading) && address.length > 1 ? romanNumerals[Number(address[0]) - 1] : undefined
  if (part === undefined) return [reading]
  const within = { heading: `${heading} ${part}`, address: address.slice(1) }
  return [until?.[0] === address[0] && until ? { ...within, until: until.slice(1) } : within, reading]
}

/** After these words the first number names a part. Titles have it as a Roman number. */
const partNumber = /(?:^|[\s,])(?:part|volume|vol\.?)$/i
export const romanNumerals = 'I II III IV V VI VII VIII IX X XI XII'.split(' ')

/** Parses the end of a range: `2a-b` ends on the other side of the same leaf. */
function latinEnd(start: readonly AddressPart[], written: string): readonly AddressPart[] {
  const leaf = start.at(-1)
  if (!/^[a-d]$/i.test(written)) return splitNumbers(written)
  return [/[a-d]$/.test(leaf ?? '') ? `${leaf?.slice(0, -1)}${written.toLowerCase()}` : (leaf ?? '')]
}

function splitNumbers(text: string): readonly AddressPart[] {
  return (text.toLowerCase().match(/\d+[a-d]?(?![a-z])/g) ?? []).map((part) => part.replace(/^0+(?=\d)/, ''))
}

/** Formats a ref in its stored form. */
export function formatRef(ref: ParsedRef): string {
  const start = ref.address.join(':')
  const whole = start === '' ? ref.heading : `${ref.heading} ${start}`
  if (!ref.until) return whole
  const differs = ref.until.findIndex((part, i) => part !== ref.address[i])
  return differs < 0 ? whole : `${whole}-${ref.until.slice(differs).join(':')}`
}

/**
 * The ref of the level above: `Tanya, Part I; Likkutei Amarim 32` for `... 32:4`; the heading for a single number.
 */
export function sectionOf(ref: string): string {
  const whole = withoutPiece(ref)
  return whole !== ref ? whole : ref.replace(/(?:[:.]\s*\d+[a-d]?| \d+[a-d]?)$/, '')
}

/**
 * Matches the numbers of a stored ref, with an optional range. Before 0.2.0, a long text without numbers was cut into
 * `:1`, `:2`.
 */
const ownNumbers = /(?: |:(?=\d+$))(\d+[a-d]?(?:[:.]\d+[a-d]?)*)(?:-\d+[a-d]?(?:[:.]\d+[a-d]?)*)?$/

/** A ref without its numbers, as a heading shows it: `Tanya, Part I; Likkutei Amarim`. */
export function headingOf(ref: string): string {
  return withoutPiece(ref).replace(ownNumbers, '')
}

/**
 * The Hebrew ref of a place without its numbers. The ref tells how many numbers there are, because a title may also
 * end with a letter that is a number.
 */
export function hebrewHeadingOf(place: { readonly ref: string; readonly heRef: string }): string {
  const address = ownNumbers.exec(withoutPiece(place.ref))?.[1]
  const heRef = withoutHebrewPiece(place.heRef)
  if (heRef === '' || address === undefined) return trimHeading(heRef)
  const printed = ` ${printedHebrewAddress(address.split(':'))}`
  if (heRef.endsWith(printed)) return trimHeading(heRef.slice(0, -printed.length))
  const readings = refReadings(heRef)
  const read =
    (readings.find((reading) => reading.address.join(':') === address) ?? readings[0])?.heading ?? ''
  // Parsed headings have no commas, but commas separate a title from its parts. So the text is cut here.
  const written = heRef.slice(0, heRef.lastIndexOf(' '))
  return written.replaceAll(',', '') === read ? written : read
}

const letterOf =
  /^(?<title>.{2,60}?)[\s,.:;]+(?:(?:letter|epistle)s?\.?|[בהושמ]{0,2}א?יגרת|[בהושמ]{0,2}אגרת)\s+(?<number>[\dא-ת"'׳״]{1,8})$/iu
const tanya = headingKey('Tanya, Part I; Likkutei Amarim')

/**
 * Converts letters of the Tanya to epistles: `Tanya, letter 20` becomes `Iggeret HaKodesh 20`. Other refs stay as
 * they are.
 */
export function withEpistles(ref: string): string {
  const { title = '', number = '' } = letterOf.exec(ref)?.groups ?? {}
  const isTanya = title !== '' && [headingKey(title), ...otherTitleKeys(headingKey(title))].includes(tanya)
  if (!isTanya) return ref
  return /[א-ת]/.test(title) ? `אגרת הקודש ${number}` : `Iggeret HaKodesh ${number}`
}
