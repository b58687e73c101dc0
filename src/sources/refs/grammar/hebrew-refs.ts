import { hebrewNumber, hebrewNumeral } from '../../text/hebrew-numbers.ts'
import type { AddressPart } from './ref-parts.ts'

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

const hebrewSides: Readonly<Record<string, string>> = { a: 'א', b: 'ב', c: 'ג', d: 'ד' }

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
