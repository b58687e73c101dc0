import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import type { ParsedRef } from './ref-parts.ts'
import { refReadings } from './refs.ts'
import { type ScriptureBook, scriptureBook } from './scripture.ts'

/** A chapter of the Bible or some of its verses, or a leaf of the Talmud or one of its sides. */
export type ScripturePlace = {
  readonly book: ScriptureBook
  /** Number of the chapter or leaf. */
  readonly number: number
  readonly side?: 'a' | 'b' | undefined
  /** First and last verse; undefined for the whole chapter. */
  readonly verses?: readonly [first: number, last: number] | undefined
}

/** Larger numbers are not refs: no chapter has more verses, and no book or tractate has more chapters or leaves. */
const maxNumber = 200

/**
 * Parses a ref of the Bible or the Talmud, whether the library has it or not: `Psalms 119:89`, `תהילים קיט פט`, `Ps.
 * 119`, `Berakhot 5a`, `ברכות ה ע"א`. Undefined for all other texts.
 */
export function scripturePlace(ref: string): ScripturePlace | undefined {
  for (const reading of refReadings(ref.replace(chapterOfAvotAlone, '$1 $2'))) {
    const place = placeIn(reading)
    if (place) return place
  }
  return undefined
}

function placeIn({ heading, address, until, isLeaf }: ParsedRef): ScripturePlace | undefined {
  const book = scriptureBook(heading)
  const [, digits, side] = /^(\d{1,3})([ab])?$/.exec(address[0] ?? '') ?? []
  const number = Number(digits ?? 0)
  if (!book || number === 0 || number > maxNumber) return undefined
  if (book.division === 'leaf') return { book, number, side: side as 'a' | 'b' | undefined }
  if (side !== undefined || isLeaf) return undefined
  const first = Number(address[1] ?? 0)
  return first > 0 ? { book, number, verses: [first, lastVerse(first, address, until)] } : { book, number }
}

/** The last verse. A range into another chapter is cut at the end of its first chapter. */
function lastVerse(first: number, address: ParsedRef['address'], until: ParsedRef['until']): number {
  if (until === undefined) return first
  return until[0] === address[0] ? Math.max(first, Number(until[1] ?? first)) : maxNumber
}

/** Matches `אבות פ"ב` without further words. */
const chapterOfAvotAlone = /(אבות) פ["״”]?([א-ו])$/u

/**
 * Like `scripturePlace`, for a query that may consist of search words. `שבת לא` counts as two words; `שבת לא ע"א`,
 * `שבת ל"א` and `שבת דף לא` are places.
 */
export function scriptureQuery(query: string): ScripturePlace | undefined {
  const place = query.length > longestQuery ? undefined : scripturePlace(query)
  const isBare = place?.book.division === 'leaf' && place.side === undefined && !/["״'׳’\d]|דף/.test(query)
  return isBare ? undefined : place
}

const longestQuery = 120

/**
 * How closely one place matches another: 0 for the same verses or side, 1 for overlapping verses, 2 for the whole
 * chapter or leaf. Undefined when they have nothing in common.
 */
export function nearness(cited: ScripturePlace, asked: ScripturePlace): 0 | 1 | 2 | undefined {
  if (cited.book !== asked.book || cited.number !== asked.number) return undefined
  if (cited.side !== undefined && asked.side !== undefined && cited.side !== asked.side) return undefined
  if (asked.side !== undefined) return cited.side === undefined ? 2 : 0
  if (asked.verses === undefined) return 0
  if (cited.verses === undefined) return 2
  const [first, last] = cited.verses
  if (first > asked.verses[1] || last < asked.verses[0]) return undefined
  return first === asked.verses[0] && last === asked.verses[1] ? 0 : 1
}

/** Characters that are read after the name of a book. */
const longestAddress = 60

/** The places of a book that a text cites: `(Psalms 119:89)`, `[תהלים קי"ט]`, `בברכות דף ה ע"א`. */
export function citationsIn(text: string, book: ScriptureBook): readonly ScripturePlace[] {
  const places: ScripturePlace[] = []
  for (const match of text.matchAll(namesPattern(book))) {
    const rest = text.slice(match.index + match[0].length, match.index + match[0].length + longestAddress)
    const isBracketed = /[([{][^()[\]{}]{0,60}$/.test(
      text.slice(Math.max(0, match.index - 60), match.index + 1),
    )
    const place = latinAddress(book, rest) ?? hebrewAddress(book, rest, isBracketed)
    if (place && place.number > 0) places.push(place)
  }
  return places
}

const patterns = new Map<ScriptureBook, RegExp>()

/** Names of a book with the spaces behind; Hebrew ones with up to two prefix letters, English ones in capitals. */
function namesPattern(book: ScriptureBook): RegExp {
  const known = patterns.get(book)
  if (known) return known
  const alternatives = (names: readonly string[]): string =>
    names
      .toSorted((a, b) => b.length - a.length)
      .map((name) =>
        name.replace(/[.']$/, '').replaceAll('"', '["״”]').replaceAll("'", "['’]?").replaceAll(' ', '\\s+'),
      )
      .join('|')
  const made = new RegExp(
    `(?<![\\p{L}\\p{N}"״])(?:(?:${alternatives(book.english)})|[ובלמשכהד]{0,2}(?:${alternatives(book.hebrew)}))['׳’.,]{0,2}\\s+`,
    'gu',
  )
  patterns.set(book, made)
  return made
}

const latin =
  /^(?:(?:ch(?:apter|\.)?|daf|folio)\s*)?(\d{1,3})([ab])?(?:\s?[:.,]\s?(?:v(?:erses?|v?\.)?\s*)?(\d{1,3}))?(?:\s?[-–—]\s?(\d{1,3}))?(?![\p{L}\p{N}])/iu

function latinAddress(book: ScriptureBook, rest: string): ScripturePlace | undefined {
  const [all, number, side, verse, last] = latin.exec(rest) ?? []
  if (all === undefined) return undefined
  if (book.division === 'leaf')
    return { book, number: Number(number), side: side?.toLowerCase() as 'a' | 'b' | undefined }
  if (side !== undefined) return undefined
  if (verse === undefined) return { book, number: Number(number) }
  return { book, number: Number(number), verses: [Number(verse), Number(last ?? verse)] }
}

const letters = '[א-ת]{1,4}(?:["״”][א-ת])?[\'׳’]?(?![א-ת"״”])'
const hebrew = new RegExp(`^(פרק\\s+|דף\\s+)?(${letters})`, 'u')
/** Matches a chapter of Avot. It has six chapters, so `פ"ב` is chapter 2; in Psalms it is chapter 82. */
const chapterOfAvot = /^פ["״”]?([א-ו])(?![א-ת])/u
const hebrewVerse = new RegExp(
  `^([\\s,.:]{1,3}|[\\s,]{1,2}פסוק\\s+|[\\s,]{1,2}פס['׳]\\s+)(${letters})(?:\\s?[-–־]\\s?(${letters}))?`,
  'u',
)
const sides: readonly (readonly [form: RegExp, side: 'a' | 'b'])[] = [
  [/^(?:\.|[\s,]{1,2}(?:ע["״”]א|עמוד\s+א|א['׳’]?)(?![א-ת]))/u, 'a'],
  [/^(?::|[\s,]{1,2}(?:ע["״”]ב|עמוד\s+ב|ב['׳’]?)(?![א-ת]))/u, 'b'],
]

/**
 * Parses a Hebrew address. Letters without geresh or gershayim are a number only in brackets, after a unit, or before
 * a verse; otherwise they may be a word.
 */
function hebrewAddress(book: ScriptureBook, rest: string, isBracketed: boolean): ScripturePlace | undefined {
  const bare = book.hebrew[0] === 'אבות' ? rest.replace(chapterOfAvot, 'פרק $1') : rest
  const [all, unit, written] = hebrew.exec(bare) ?? []
  const number = written === undefined ? undefined : hebrewNumber(written)
  if (all === undefined || number === undefined || number > maxNumber) return undefined
  const behind = bare.slice(all.length)
  const isSure = isBracketed || unit !== undefined || /["״”'׳’]/.test(written ?? '')
  if (book.division === 'leaf') {
    const side = sides.find(([form]) => form.test(behind))?.[1]
    return isSure || (side !== undefined && !/^[.:]/.test(behind)) ? { book, number, side } : undefined
  }
  const verses = versesIn(behind)
  if (!isSure && !(verses && behind.startsWith(','))) return undefined
  return { book, number, verses }
}

function versesIn(behind: string): readonly [number, number] | undefined {
  const [all, , first, last] = hebrewVerse.exec(behind) ?? []
  if (all === undefined || first === undefined) return undefined
  const isNumber =
    /["״”'׳’]/.test(first) || last !== undefined || /^\s?(?:[)\]},.;:]|$)/.test(behind.slice(all.length))
  const from = isNumber ? hebrewNumber(first) : undefined
  return from === undefined ? undefined : [from, Math.max(from, hebrewNumber(last ?? first) ?? from)]
}
