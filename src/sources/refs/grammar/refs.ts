import { withEpistles } from './epistles.ts'
import { hebrewReadings, printedHebrewAddress } from './hebrew-refs.ts'
import { withDigits } from './number-words.ts'
import { isPageRef } from './pages.ts'
import { withoutHebrewPiece, withoutPiece } from './pieces.ts'
import { type AddressPart, type ParsedRef, rangeEnd, trimHeading } from './ref-parts.ts'
import { latinUnitPattern } from './units.ts'

export type { AddressPart, ParsedRef } from './ref-parts.ts'

const number = '\\d{1,4}[a-d]?'
const separator = '(?:\\s*[.:,]\\s*|\\s+)'
const numbers = `${number}(?:${separator}(?:${latinUnitPattern}\\s*)?${number})*`
const latinAddress = new RegExp(
  `^(.*?)(?:^|[\\s.,:_]+)(?:${latinUnitPattern}\\s*)?(${numbers})(?:\\s*[-–—]\\s*(${numbers}|[a-d]))?$`,
  'iu',
)

/** What is longer is no ref: its beginning is taken, which keeps hostile input cheap. */
const longestRef = 600

/** A library decides between readings with a few statements: hostile input gets no more of them. */
const maxReadings = 12

/**
 * All ways to read a ref, the likeliest first; the library knows which of them exists. `ברכות ב א` may be a leaf with
 * its side or a chapter and a paragraph. The last one takes the whole for a heading.
 */
export function refReadings(written: string): readonly ParsedRef[] {
  const text = normalised(written)
  const whole = { heading: trimHeading(text), address: [] }
  if (isPageRef(text)) return [whole]
  const readings = [...(/[א-ת]/.test(text) ? hebrewReadings(text) : []), ...latinReadings(text)]
  return [...distinct(readings).slice(0, maxReadings), whole]
}

/**
 * Takes apart a ref in any of the ways people write it: `Tanya, Part I; Likkutei Amarim 32:4`, `Likutei Moharan
 * 282.1`, `Berakhot 2a-3b`, `Tanya,_Part_I;_Likkutei_Amarim.32.4` (percent-encoding undone or not), `Tanya chapter 32`,
 * `תניא פרק ל"ב`, `ברכות ב ע"א`, `ברכות ב׳ א:ה׳`. Where several ways are possible the likeliest is taken. Without numbers
 * the whole is the heading.
 */
export function parseRef(written: string): ParsedRef {
  const [first] = refReadings(written)
  return first ?? { heading: '', address: [] }
}

const siteAddress = /^(?:https?:\/\/)?(?:www\.|voices\.)?sefaria\.org(?:\.il)?\/([^?#]*).*$/i
/** Of this service, whatever its host is called. */
const readerAddress = /^(?:https?:\/\/[^/\s]+)?\/library\/read\/([^?#/]+).*$/i

function normalised(written: string): string {
  const bare = written.slice(0, longestRef).trim().replace(siteAddress, '$1').replace(readerAddress, '$1')
  const text = decoded(bare)
    .normalize('NFKC')
    .replace(/[_\s]+/g, ' ')
    .trim()
  return withEpistles(withDigits(text))
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

/** As the library writes refs: the numbers are one word, whatever number the title ends with. */
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
  const part = partNumber.test(heading) && address.length > 1 ? roman[Number(address[0]) - 1] : undefined
  if (part === undefined) return [reading]
  const within = { heading: `${heading} ${part}`, address: address.slice(1) }
  return [until?.[0] === address[0] && until ? { ...within, until: until.slice(1) } : within, reading]
}

/** After these words the first number names a part and is written in Roman letters in titles. */
const partNumber = /(?:^|[\s,])(?:part|volume|vol\.?)$/i
const roman = 'I II III IV V VI VII VIII IX X XI XII'.split(' ')

/** `2a-b` ends on the other side of the same leaf. */
function latinEnd(start: readonly AddressPart[], written: string): readonly AddressPart[] {
  const leaf = start.at(-1)
  if (!/^[a-d]$/i.test(written)) return splitNumbers(written)
  return [/[a-d]$/.test(leaf ?? '') ? `${leaf?.slice(0, -1)}${written.toLowerCase()}` : (leaf ?? '')]
}

function splitNumbers(text: string): readonly AddressPart[] {
  return (text.toLowerCase().match(/\d+[a-d]?(?![a-z])/g) ?? []).map((part) => part.replace(/^0+(?=\d)/, ''))
}

/** The canonical way to write a ref. */
export function formatRef(ref: ParsedRef): string {
  const start = ref.address.join(':')
  const whole = start === '' ? ref.heading : `${ref.heading} ${start}`
  if (!ref.until) return whole
  const differs = ref.until.findIndex((part, i) => part !== ref.address[i])
  return differs < 0 ? whole : `${whole}-${ref.until.slice(differs).join(':')}`
}

/** The ref one level up: `Tanya, Part I; Likkutei Amarim 32` for `... 32:4`, the heading for a single number. */
export function sectionOf(ref: string): string {
  const whole = withoutPiece(ref)
  return whole !== ref ? whole : ref.replace(/(?:[:.]\s*\d+[a-d]?| \d+[a-d]?)$/, '')
}

/**
 * The numbers of a canonical ref, with a range of them. Before 0.2.0 a long text without numbers was cut into `:1`, `:2`.
 */
const ownNumbers = /(?: |:(?=\d+$))(\d+[a-d]?(?:[:.]\d+[a-d]?)*)(?:-\d+[a-d]?(?:[:.]\d+[a-d]?)*)?$/

/** The ref without its numbers, what a heading shows: `Tanya, Part I; Likkutei Amarim`. */
export function headingOf(ref: string): string {
  return withoutPiece(ref).replace(ownNumbers, '')
}

/**
 * The Hebrew ref of a place without its numbers. How many of them there are is known from the ref: a title itself may
 * end with a letter that could be one.
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
  // Readings have no commas, which separate a title from what it stands under.
  const written = heRef.slice(0, heRef.lastIndexOf(' '))
  return written.replaceAll(',', '') === read ? written : read
}
