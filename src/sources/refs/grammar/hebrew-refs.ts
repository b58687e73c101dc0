import { hebrewNumber, hebrewNumeral } from '../../text/hebrew-numbers.ts'
import { type AddressPart, type ParsedRef, rangeEnd, trimHeading } from './ref-parts.ts'
import { hasUnitRole, isHebrewUnit } from './units.ts'

/** Parses a Hebrew ref in all possible ways, most likely first. Empty when it does not end with a number. */
export function hebrewReadings(written: string): readonly ParsedRef[] {
  const text = plain(written)
  const printed = printedReading(text)
  const free = freeReadings(text)
  if (!printed) return free
  return isInformalRef(text, printed) ? [...free, printed] : [printed, ...free]
}

/**
 * Whether a ref that looks printed is written by a person. Sefaria prints neither units nor `ע״א` before a number.
 */
function isInformalRef(text: string, { heading }: ParsedRef): boolean {
  const before = heading.split(' ').at(-1) ?? ''
  const hasSide = sides[text.split(' ').at(-1) ?? ''] !== undefined
  return isHebrewUnit(before) || (hasSide && wordNumber(before) !== undefined)
}

const printedParts = new Map<AddressPart, string>()

/** Formats an address as Sefaria prints it in Hebrew: `ל״ב:ד׳`, `ב׳ א:ה׳`. */
export function printedHebrewAddress(address: readonly AddressPart[]): string {
  return address.map(printedHebrewPart).join(':')
}

function printedHebrewPart(part: AddressPart): string {
  const known = printedParts.get(part)
  if (known !== undefined) return known
  const [, leaf, side] = /^(\d{1,4})([a-d])?$/.exec(part) ?? []
  if (leaf === undefined) return part
  const printed = hebrewNumeral(Number(leaf)) + (side === undefined ? '' : ` ${hebrewSides[side]}`)
  // Imports need a few hundred entries. The limit keeps hostile input from growing the table.
  if (printedParts.size < 4_096) printedParts.set(part, printed)
  return printed
}

/** Removes vowel points, straightens quotation marks, and replaces a maqaf, which may mark a range, by a hyphen. */
function plain(written: string): string {
  return written
    .replace(/[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g, '')
    .replace(/[׳‘’`´]/g, "'")
    .replace(/''|[״“”„]/g, '"')
    .replace(/[־–—]/g, '-')
    .replace(/\s*§\s*/g, ' ')
}

const numeral = `(?:[א-ט]'(?:אלפים|[א-ת]{0,5}"[א-ת]|[א-ת]')|[א-ת]'|[א-ת]{1,5}"[א-ת]|0)`
/** Matches a number and an optional side. A side is the only letter printed without a geresh: `ב׳ א` is 2a. */
const printedPart = `${numeral}(?: [אבגד])?`
const printedAddress = `${printedPart}(?::${printedPart}){0,9}`
/** Matches a printed ref. The heading ends at the first space after which everything is an address. */
const printed = new RegExp(`^(.+?) (${printedAddress})(?: ?- ?(${printedAddress}|[אבגד]))?$`)

function printedReading(text: string): ParsedRef | undefined {
  const [, heading, first, last] = printed.exec(text) ?? []
  if (heading === undefined || first === undefined) return undefined
  const address = first.split(':').map(printedNumber)
  const until = last === undefined ? undefined : printedUntil(address, last)
  const known = [...address, ...(until ?? [])].every((part) => part !== undefined)
  if (!known) return undefined
  return reading(trimHeading(heading), address as AddressPart[], until as AddressPart[] | undefined)
}

function printedUntil(
  address: readonly (AddressPart | undefined)[],
  last: string,
): readonly (AddressPart | undefined)[] | undefined {
  const side = sideLetters[last]
  if (side === undefined) return last.split(':').map(printedNumber)
  const leaf = address.at(-1)
  return leaf !== undefined && /[a-d]$/.test(leaf) ? [`${leaf.slice(0, -1)}${side}`] : undefined
}

const sideLetters: Readonly<Record<string, string>> = { א: 'a', ב: 'b', ג: 'c', ד: 'd' }
const hebrewSides: Readonly<Record<string, string>> = { a: 'א', b: 'ב', c: 'ג', d: 'ד' }

function printedNumber(part: string): AddressPart | undefined {
  const [leaf = '', side] = part.split(' ')
  const number = leaf === '0' ? 0 : hebrewNumber(leaf)
  return number === undefined ? undefined : `${number}${side === undefined ? '' : sideLetters[side]}`
}

function reading(
  heading: string,
  address: readonly AddressPart[],
  until?: readonly AddressPart[],
): ParsedRef {
  return { heading, address, ...(until && { until: rangeEnd(address, until) }) }
}

const sides: Readonly<Record<string, 'a' | 'b'>> = { 'ע"א': 'a', 'ע"ב': 'b' }

/** A number in one word, with the unit before it. */
type Item = {
  readonly parts: readonly AddressPart[]
  readonly until: readonly AddressPart[] | undefined
  readonly unit: string | undefined
  /** A bare letter from א to ד, which may be the side of a leaf. */
  readonly side: string | undefined
  /** Index of its first word. */
  readonly at: number
}

/** Maximum number of numbers at the end of a ref; no address has more levels. */
const maxItems = 4

/** Parses a ref as people write it: with or without units and gershayim, separated by spaces, commas or colons. */
function freeReadings(text: string): ParsedRef[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  const found = readingsOf(words)
  // `פל"ב` is chapter 32. `פ"ב` can be chapter 2 or the number 82.
  const rest = chapterIn(words.at(-1) ?? '')
  if (rest !== undefined) found.push(...readingsOf([...words.slice(0, -1), 'פ', rest]))
  // `סי"א` is siman 11. `ס"א` can be siman 1 or the number 61.
  const siman = simanIn(words.at(-1) ?? '')
  if (siman !== undefined) found.push(...readingsOf([...words.slice(0, -1), 'סימן', siman]))
  return found
}

/**
 * Matches a chapter in one word, with its unit as a letter: `פל"ב`, `בפל"ב`. Also its beginning or end: `רפ"ב`,
 * `ספ"ב`.
 */
const gluedChapter = /^[בדהולמש]?[סר]?פ([א-ת]{0,3}"?[א-ת]'?)$/

/** `רש"י` after a `פ` is the commentary and no chapter: `ופרש"י`. */
const commentary = /רש"י$/

/** The number of a chapter that is joined to its unit in one word. Gershayim directly after the unit are removed. */
export function chapterIn(word: string): string | undefined {
  return word.includes('"') && !commentary.test(word)
    ? gluedChapter.exec(word)?.[1]?.replace(/^"/, '')
    : undefined
}

/** Matches a siman in one word, with its unit as a letter: `סי"א`, `בסכ"ה`, `ס"ה`. */
const gluedSiman = /^[בדהולמש]?ס("[א-ת]|[א-ת]{1,3}"[א-ת])$/
/** Abbreviations of other things: total, scrolls, names of books. */
const noSiman = /ס(?:ה"כ|ת"ם|ת"מ|מ"ג|מ"ק|מ"ט|ד"ה|כ"ד)$/

/** The number of a siman that is joined to its unit in one word. */
export function simanIn(word: string): string | undefined {
  const rest = noSiman.test(word) ? undefined : gluedSiman.exec(word)?.[1]?.replace(/^"/, '')
  return rest !== undefined && hebrewNumber(rest) !== undefined ? rest : undefined
}

function readingsOf(words: readonly string[]): ParsedRef[] {
  const side = sides[words.at(-1) ?? '']
  const items = itemsAtEnd(side ? words.slice(0, -1) : words)
  const heading = (item: Item): string => trimHeading(words.slice(0, item.at).join(' '))
  const found: ParsedRef[] = []
  for (let first = likeliestStart(items); first >= 0; first -= 1) {
    const taken = items.slice(first)
    const [start] = taken
    if (!start || heading(start) === '') continue
    for (const { address, until } of addressesOf(taken, side)) {
      found.push(reading(heading(start), address, until))
    }
  }
  return found
}

/**
 * Index of the first item that belongs to the address. One number may stand without a unit; others before it need
 * one, because they are usually words.
 */
function likeliestStart(items: readonly Item[]): number {
  let first = items.length - 1
  while (first > 0 && items[first]?.unit !== undefined && items[first - 1]?.unit !== undefined) first -= 1
  return first
}

type Address = {
  readonly address: readonly AddressPart[]
  readonly until?: readonly AddressPart[] | undefined
}

function addressesOf(items: readonly Item[], side: 'a' | 'b' | undefined): readonly Address[] {
  const last = items.at(-1)
  const before = items.at(-2)
  const address = items.flatMap((item) => item.parts)
  const sided = (parts: readonly AddressPart[], letter: string): readonly AddressPart[] =>
    parts.map((part, i) => (i === parts.length - 1 ? `${part}${letter}` : part))
  if (side !== undefined) return [{ address: sided(address, side) }]
  const plainAddress = { address, until: last?.until }
  if (last?.side === undefined || before === undefined) return [plainAddress]
  const leafAndSide = { address: sided(address.slice(0, -1), last.side) }
  if (last.unit !== undefined && hasUnitRole(last.unit, 'page')) return [leafAndSide]
  if (before.unit !== undefined && hasUnitRole(before.unit, 'leaf')) return [leafAndSide]
  return last.unit === undefined ? [leafAndSide, plainAddress] : [plainAddress]
}

/** The numbers at the end of a list of words, with their units. The first word always belongs to the heading. */
function itemsAtEnd(words: readonly string[]): readonly Item[] {
  const items: Item[] = []
  let end = words.length
  while (end > 1 && items.length < maxItems) {
    const numbers = numbersOf(words[end - 1] ?? '', items.length === 0)
    if (!numbers) break
    const hasUnit = end > 2 && isHebrewUnit(words[end - 2] ?? '')
    end -= hasUnit ? 2 : 1
    items.unshift({ ...numbers, unit: hasUnit ? words[end] : undefined, at: end })
  }
  return items
}

/** Parses `לב`, `ל"ב`, `לב:ד`, `לב:4`, `לב-לד`, and `ב.` and `ב:`, the two sides of a leaf. */
function numbersOf(word: string, isLast: boolean): Omit<Item, 'unit' | 'at'> | undefined {
  const daf = isLast ? /^([^.:]+)([.:])$/.exec(word) : null
  const leaf = daf?.[1] === undefined ? undefined : wordNumber(daf[1])
  if (leaf !== undefined)
    return { parts: [`${leaf}${daf?.[2] === '.' ? 'a' : 'b'}`], until: undefined, side: undefined }
  const [start = '', end, ...more] = word.split('-')
  if (more.length > 0 || (end !== undefined && !isLast)) return undefined
  const parts = numbersIn(start)
  const until = end === undefined ? undefined : numbersIn(end)
  if (!parts || (end !== undefined && !until)) return undefined
  return { parts, until, side: sideLetters[word.replace(/'$/, '')] }
}

function numbersIn(text: string): readonly AddressPart[] | undefined {
  const parts = text.split(/[:.]/).map(wordNumber)
  return parts.every((part) => part !== undefined) ? parts : undefined
}

function wordNumber(word: string): AddressPart | undefined {
  if (/^\d{1,4}[a-d]?$/.test(word)) return word
  return hebrewNumber(word)?.toString()
}
