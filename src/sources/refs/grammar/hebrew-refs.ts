import { hebrewNumber, hebrewNumeral } from '../../text/hebrew-numbers.ts'
import { type AddressPart, type ParsedRef, rangeEnd, trimHeading } from './ref-parts.ts'
import { isHebrewUnit } from './units.ts'

/**
 * Whether a ref that looks printed is written by a person. Sefaria prints neither units nor `ע״א` before a number.
 */
export function isInformalRef(written: string, { heading }: ParsedRef): boolean {
  const before = heading.split(' ').at(-1) ?? ''
  const hasSide = /(?<![^ ])ע"[אב]$/.test(plain(written))
  return isHebrewUnit(before) || (hasSide && (/^\d/.test(before) || hebrewNumber(before) !== undefined))
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

/** Parses a ref as Sefaria prints it: `ברכות ב׳ א:ה׳`. */
export function printedReading(written: string): ParsedRef | undefined {
  const [, heading, first, last] = printed.exec(plain(written)) ?? []
  if (heading === undefined || first === undefined) return undefined
  const address = first.split(':').map(printedNumber)
  const until = last === undefined ? undefined : printedUntil(address, last)
  const known = [...address, ...(until ?? [])].every((part) => part !== undefined)
  if (!known) return undefined
  const end = until && { until: rangeEnd(address as AddressPart[], until as AddressPart[]) }
  return { heading: trimHeading(heading), address: address as AddressPart[], ...end }
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
