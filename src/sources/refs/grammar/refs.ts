import { hebrewNumber } from '../../text/hebrew-numbers.ts'

export type { AddressPart, ParsedRef } from './ref-parts.ts'

import { headingKey } from '../../text/heading-keys.ts'
import { otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { chapterIn, printedHebrewAddress } from './hebrew-refs.ts'
import { romanNumber, withDigits } from './number-words.ts'
import { isPageRef } from './pages.ts'
import { withoutHebrewPiece, withoutPiece } from './pieces.ts'
import { addressOf, type Chain, chainsOf, type RefItem, sidedAddress, type Words } from './ref-items.ts'
import { type AddressPart, type ParsedRef, rangeEnd, trimHeading } from './ref-parts.ts'
import { bare, gapBefore, invisible, wordsOf } from './text-words.ts'
import { isHebrewUnit } from './units.ts'

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
  const read = { text, words: wordsOf(text) }
  const plain = chainsOf(read, 'plain')
  const free = [...readingsIn(read, plain), ...readingsIn(read, chainsOf(read, 'joined'))]
  const printed = printedReading(read)
  const first = printed && !isInformal(text, printed) ? [printed] : []
  const readings = distinct([...first, ...free, ...(printed ? [printed] : [])]).slice(0, maxReadings)
  // A title may itself end with a Roman number, `Tanya, Part II`, so that reading comes last.
  const all = [...readings, whole, ...romanReadings(read)]
  return endsWithLeaf(plain) ? all.map((reading) => ({ ...reading, isLeaf: true })) : all
}

/** The reading of a ref as Sefaria prints it: `ברכות ב׳ א:ה׳`. The longest address that a space precedes counts. */
function printedReading(read: Words): ParsedRef | undefined {
  const { text, words } = read
  const chains = chainsOf(read, 'printed')
  const at = chains.findIndex((of, i) => of !== undefined && i > 0 && / $/.test(gapBefore(text, words, i)))
  const chain = chains[at]
  return chain && reading(trimHeading(text.slice(0, words[at]?.start)), addressOf(chain.items), chain.until)
}

/** Whether a ref that looks printed is written by a person: Sefaria prints neither units nor `ע״א` before a number. */
function isInformal(written: string, { heading }: ParsedRef): boolean {
  const before = bare(wordsOf(heading).at(-1))
  const isNumber = /^\d/.test(before) || hebrewNumber(before) !== undefined
  return isHebrewUnit(before) || (isNumber && /(?<![^ ])ע["״][אב]$/.test(written))
}

/** Whether the last number is that of a leaf: `daf 41`, `דף מא`. Leaf 41 of a book is not its chapter 41. */
function endsWithLeaf(chains: readonly (Chain | undefined)[]): boolean {
  return chains.find((chain) => chain !== undefined)?.items.at(-1)?.unit === 'leaf'
}

/** The readings by numbers that reach the end of a ref, most likely first. */
function readingsIn(read: Words, chains: readonly (Chain | undefined)[]): readonly ParsedRef[] {
  const { text, words } = read
  const chain = chains.find((of, at) => of !== undefined && mayOpen(read, at))
  if (!chain) return []
  const found: ParsedRef[] = []
  for (let first = likeliestStart(read, chain.items); first >= 0; first -= 1)
    if (first === 0 || !isTight(read, chain.items[first]))
      found.push(...readingsFrom(read, { ...chain, items: chain.items.slice(first) }))
  // The stored form of a ref: the numbers are one word, even if the title ends with a number or a unit.
  const apart = words.findLastIndex((_, at) => /\s/.test(gapBefore(text, words, at)))
  const stored = /^\d/.test(words[apart]?.text ?? '') ? chains[apart] : undefined
  return stored ? [...found, ...readingsFrom(read, stored)] : found
}

/** Whether an address may begin at a word. */
function mayOpen({ text, words }: Words, at: number): boolean {
  const gap = gapBefore(text, words, at)
  return at === 0 ? !/^[א-ת]/.test(bare(words[0])) : !/[-–—־]/.test(gap)
}

/** Whether a number belongs to the one before it in any case: `ל"ב:ד`, `ב ע"א`. */
function isTight({ text, words }: Words, item: RefItem | undefined): boolean {
  return item !== undefined && (item.isSide || /^[:.]$/.test(gapBefore(text, words, item.from)))
}

/** Index of the first item of the address. Of items without unit or digits, usually words, only one counts. */
function likeliestStart(read: Words, items: readonly RefItem[]): number {
  let first = items.length - 1
  const isJoined = (at: number): boolean =>
    isTight(read, items[at]) || (items[at]?.isSure === true && items[at - 1]?.isSure === true)
  while (first > 0 && isJoined(first)) first -= 1
  return first
}

function readingsFrom(read: Words, { items, until }: Chain): readonly ParsedRef[] {
  const { text, words } = read
  const [first] = items
  const [last, before] = items.toReversed()
  if (!first || !last) return []
  const heading = trimHeading(text.slice(0, words[first.from]?.start).replace(/[§#¶]\s*$/, ''))
  const plain = reading(heading, addressOf(items), until)
  const sided = /[:.]/.test(gapBefore(text, words, last.from)) ? undefined : sidedAddress(items)
  if (!sided) return withPart(plain)
  const leaf = reading(heading, sided)
  if (last.unit === 'page' || before?.unit === 'leaf') return [leaf]
  return last.unit === undefined ? [leaf, plain] : [plain]
}

function reading(
  heading: string,
  address: readonly AddressPart[],
  until?: readonly AddressPart[],
): ParsedRef {
  return { heading, address, ...(until && { until: rangeEnd(address, until) }) }
}

/** The readings by a Roman number behind a title: `Tanya XXVI`, `Genesis XXIII:4`. */
function romanReadings(read: Words): readonly ParsedRef[] {
  const at = read.words.findLastIndex(({ text }) => romanNumber(text) !== undefined)
  const chain = at > 0 && mayOpen(read, at) ? chainsOf(read, 'roman')[at] : undefined
  return chain ? readingsFrom(read, chain) : []
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
    .replace(invisible, '')
    .replace(/[_\s]+/g, ' ')
    .replace(/(?<=[א-ת])''(?=[א-ת])/g, '"')
    .trim()
    .replace(/[,;]+$/, '')
    // Behind Hebrew letters, a dot or a colon means the side of a leaf.
    .replace(/(?<=^[^א-ת]*)[.:,;]+$/u, '')
  return withEpistles(withDigits(withEndOfOpenRange(text)))
}

const openRange = /(?<=^|[\s,:.§#¶])([א-ת"'׳״]{1,7}|\d{1,4})(?:\s?(ff?)\.?| (ואילך|והלאה))$/u

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

/** A number of a part as the Roman one of its title, before the digits: `Likutei Moharan, Part 2 48` for `Part II 48`. */
function withPart(reading: ParsedRef): readonly ParsedRef[] {
  const { heading, address, until } = reading
  const part =
    partNumber.test(heading) && address.length > 1 ? romanNumerals[Number(address[0]) - 1] : undefined
  if (part === undefined) return [reading]
  const within = { heading: `${heading} ${part}`, address: address.slice(1) }
  return [until?.[0] === address[0] && until ? { ...within, until: until.slice(1) } : within, reading]
}

/** After these words the first number names a part. Titles have it as a Roman number. */
const partNumber = /(?:^|[\s,])(?:part|pt\.?|volume|vol\.?)$/i
export const romanNumerals = 'I II III IV V VI VII VIII IX X XI XII'.split(' ')

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
  return (readings.find((reading) => reading.address.join(':') === address) ?? readings[0])?.heading ?? ''
}

const letterOf =
  /^(?<title>.{2,60}?)[\s,.:;]+(?:(?:letter|epistle)s?\.?|[בהושמ]{0,2}א?יגרת|[בהושמ]{0,2}אגרת)\s+(?<number>[\dא-ת"'׳״]{1,8})$/iu
const tanya = headingKey('Tanya, Part I; Likkutei Amarim')

/** Converts letters of the Tanya to epistles: `Tanya, letter 20` becomes `Iggeret HaKodesh 20`. */
export function withEpistles(ref: string): string {
  const { title = '', number = '' } = letterOf.exec(ref)?.groups ?? {}
  const isTanya = title !== '' && [headingKey(title), ...otherTitleKeys(headingKey(title))].includes(tanya)
  if (!isTanya) return ref
  return /[א-ת]/.test(title) ? `אגרת הקודש ${number}` : `Iggeret HaKodesh ${number}`
}
