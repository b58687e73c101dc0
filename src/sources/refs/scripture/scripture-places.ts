import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import type { ParsedRef } from '../grammar/ref-parts.ts'
import { refReadings } from '../grammar/refs.ts'
import { type ScriptureBook, scriptureBook } from './scripture.ts'

/** A chapter of the Bible or verses of it, or a leaf of the Talmud or one side of it. */
export type ScripturePlace = {
  readonly book: ScriptureBook
  /** The number of the chapter or the leaf. */
  readonly number: number
  readonly side?: 'a' | 'b' | undefined
  /** The first and the last verse; undefined for the whole chapter. */
  readonly verses?: readonly [first: number, last: number] | undefined
}

/** No chapter has more verses, and no book or tractate more chapters or leaves. */
const maxNumber = 200

/**
 * What a ref of the Bible or the Talmud names, whether the library has it or not: `Psalms 119:89`, `תהילים קיט פט`,
 * `Ps. 119`, `Berakhot 5a`, `ברכות ה ע"א`. Undefined for everything else.
 */
export function scripturePlace(ref: string): ScripturePlace | undefined {
  for (const reading of refReadings(ref.replace(chapterOfAvotAlone, '$1 $2'))) {
    const place = placeIn(reading)
    if (place) return place
  }
  return undefined
}

function placeIn({ heading, address, until }: ParsedRef): ScripturePlace | undefined {
  const book = scriptureBook(heading)
  const [, digits, side] = /^(\d{1,3})([ab])?$/.exec(address[0] ?? '') ?? []
  const number = Number(digits ?? 0)
  if (!book || number === 0 || number > maxNumber) return undefined
  if (book.division === 'leaf') return { book, number, side: side as 'a' | 'b' | undefined }
  if (side !== undefined) return undefined
  const first = Number(address[1] ?? 0)
  return first > 0 ? { book, number, verses: [first, lastVerse(first, address, until)] } : { book, number }
}

/** A range that ends in another chapter runs to the end of its own. */
function lastVerse(first: number, address: ParsedRef['address'], until: ParsedRef['until']): number {
  if (until === undefined) return first
  return until[0] === address[0] ? Math.max(first, Number(until[1] ?? first)) : maxNumber
}

/** `אבות פ"ב` has no more words behind it. */
const chapterOfAvotAlone = /(אבות) פ["״”]?([א-ו])$/u

/**
 * The same for what may be words to search for: `שבת לא` is rather two words, and `שבת לא ע"א`, `שבת ל"א` and `שבת דף לא`
 * are places.
 */
export function scriptureQuery(query: string): ScripturePlace | undefined {
  const place = query.length > longestQuery ? undefined : scripturePlace(query)
  const isBare = place?.book.division === 'leaf' && place.side === undefined && !/["״'׳’\d]|דף/.test(query)
  return isBare ? undefined : place
}

const longestQuery = 120

/**
 * How exactly one place cites another: 0 for the same verses or side, 1 for more verses around them or some of them, 2 for
 * the chapter or leaf as a whole; undefined when they have nothing in common.
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

/** Read behind the name of a book. */
const longestAddress = 60

/** The places of a book that a text cites by name and number: `(Psalms 119:89)`, `[תהלים קי"ט]`, `כדאיתא בברכות דף ה ע"א`. */
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

/** Each name, in Hebrew with up to two letters before it, and the blanks behind it. English names have their capitals. */
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
/** Avot has six chapters, so that `פ"ב` is the second: in Psalms it would be the 82nd. */
const chapterOfAvot = /^פ["״”]?([א-ו])(?![א-ת])/u
const hebrewVerse = new RegExp(
  `^([\\s,.:]{1,3}|[\\s,]{1,2}פסוק\\s+|[\\s,]{1,2}פס['׳]\\s+)(${letters})(?:\\s?[-–־]\\s?(${letters}))?`,
  'u',
)
const sides: readonly (readonly [form: RegExp, side: 'a' | 'b'])[] = [
  [/^(?:\.|[\s,]{1,2}(?:ע["״”]א|עמוד\s+א|א['׳’]?)(?![א-ת]))/u, 'a'],
  [/^(?::|[\s,]{1,2}(?:ע["״”]ב|עמוד\s+ב|ב['׳’]?)(?![א-ת]))/u, 'b'],
]

/** Letters without a sign are a number only in brackets, behind a unit, or before a verse: else they may be a word. */
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
