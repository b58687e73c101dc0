import { hebrewNumber, hebrewNumeral, toHebrewNumber } from '../../text/hebrew-numbers.ts'
import type { AddressPart } from './ref-parts.ts'
import { bare, gapBefore, type TextWord, wordsOfRole } from './text-words.ts'

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

/** A chapter in one word with its unit, or its beginning or end: `פל"ב`, `בפל"ב`, `רפ"ב`, `ספ"ב`. */
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

/** Matches a number in digits, with its side or the sign for the places after it: `19b`, `15ff`. */
export const digits = /^\d{1,6}(?:[a-d]|ff?)?$/i

const numbers = new Map<string, boolean>()

/** Whether a word as written may be a number. */
export function isNumber(written: string): boolean {
  const known = numbers.get(written)
  if (known !== undefined) return known
  const made = computeIsNumber(written)
  // Texts repeat a few thousand words. The limit keeps hostile input from growing the table.
  if (numbers.size < 20_000) numbers.set(written, made)
  return made
}

function computeIsNumber(written: string): boolean {
  if (digits.test(written)) return true
  const number = /^[א-ת"']{1,8}$/.test(written) ? hebrewNumber(written) : undefined
  return number !== undefined && (!isTurned(written, number) || written.startsWith('ער'))
}

/** Whether the letters are not in descending order, as in the abbreviations `ז"ל` and `א"כ`. */
function isTurned(written: string, number: number): boolean {
  const letters = written.replace(/["']/g, '')
  return (
    letters.length > 1 &&
    letters.length < 4 &&
    number < 1000 &&
    toHebrewNumber(number) !== letters &&
    !descends(letters)
  )
}

function descends(letters: string): boolean {
  const values = [...letters].map((letter) => hebrewNumber(letter) ?? 0)
  return values.every((value, i) => i === 0 || value <= (values[i - 1] ?? 0))
}

/** Whether a word is marked as a number: by gershayim, or a geresh after one letter that is not a name of God. */
export function isMarked(written: string): boolean {
  return /["']/.test(written) && !/^[הד]'$/.test(written) && !abbreviations.has(written)
}

/** Abbreviations that are also numbers. After a title they are more often abbreviations. */
const abbreviations = wordsOfRole('abbreviation')

/** Hebrew words whose letters also form a number. */
const commonWords = wordsOfRole('common-word')

/** Those of them that may end a clause directly after a title, as `לב` does not. */
const clauseEnds = wordsOfRole('ends-clause')

/** Whether a bare Hebrew number may be a word even at the end of its clause. */
export function mayEndClause(written: string): boolean {
  return clauseEnds.has(written)
}

/** Whether a bare Hebrew number is more likely a word: it is a common word, and another word follows directly. */
export function isCommonWordAt(text: string, words: readonly TextWord[], at: number): boolean {
  return (
    commonWords.has(bare(words[at])) &&
    /^[^\S\n]+["'“„]?$/.test(gapBefore(text, words, at + 1)) &&
    at + 1 < words.length
  )
}
