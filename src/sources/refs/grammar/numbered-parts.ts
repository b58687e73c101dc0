import { headingKey } from '../../text/heading-keys.ts'
import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { parashaAt } from '../../vocabulary/titles/parashot.ts'
import { chapterIn, simanIn } from './hebrew-refs.ts'
import { hebrewNumberInWords, numberInWords, ordinalInWords, romanNumber } from './number-words.ts'
import { keysOfRole } from './text-words.ts'
import { hasUnitRole, partUnit } from './units.ts'

/**
 * A part of a work as headings and refs name it, in any language and spelling: `Chapter 3`, `פרק ג`, `ch. III` and `The
 * Third Chapter` are the same part. `name` is a number (`3`, `15a`) or a weekly portion (`@noach`).
 */
export type NumberedPart = { readonly unit: string | undefined; readonly name: string }

/** A word of a ref, with straight quotation marks and without vowel points; its key, and the mark behind it. */
export type Word = { readonly text: string; readonly key: string; readonly behind: string }

/** Matches a word of letters and digits, with quotation marks within it and a geresh at its end. */
const word = /[\p{L}\p{N}]+(?:["'][\p{L}\p{N}]+)*(?:(?<=[א-ת])'(?!\p{L}))?/gu

/** Further words are not read, so that hostile input stays cheap. */
const maxWords = 40

export function wordsOf(written: string): readonly Word[] {
  const text = written
    .replace(/[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g, '')
    .replace(/[׳‘’`´]/g, "'")
    .replace(/''|[״“”„]/g, '"')
  return [...text.matchAll(word)].slice(0, maxWords).map((match) => {
    const end = match.index + match[0].length
    return { text: match[0], key: keyOf(match[0]), behind: text.slice(end, end + 2) }
  })
}

const keys = new Map<string, string>()

function keyOf(written: string): string {
  const known = keys.get(written)
  if (known !== undefined) return known
  const key = headingKey(written)
  // Headings repeat a few thousand words. The limit keeps hostile input from growing the table.
  if (keys.size < 20_000) keys.set(written, key)
  return key
}

/** A part that begins at a word, with the index after its last word. */
export type PartAt = { readonly part: NumberedPart; readonly end: number }

/** Words before the name of a weekly portion. */
const portionWords = keysOfRole('portion')

/** Reads the part that begins at a word. With `anyUnit`, any word directly before a number is its unit. */
export type ReadPart = (words: readonly Word[], at: number, anyUnit: boolean) => PartAt | undefined

/** A number with its unit in either order, or alone. */
export const numberedAt: ReadPart = (words, at, anyUnit) =>
  countedAt(words, at) ?? gluedAt(words, at) ?? unitAt(words, at, anyUnit) ?? bareAt(words, at)

/** The same, or a weekly portion. */
export const partAt: ReadPart = (words, at, anyUnit) => portionAt(words, at) ?? numberedAt(words, at, anyUnit)

/** A weekly portion, with or without the word for one. */
export function portionAt(words: readonly Word[], at: number): PartAt | undefined {
  const from = portionWords.has(words[at]?.key ?? '') ? at + 1 : at
  const found = parashaAt(words.slice(from, from + 3).map(({ key }) => key))
  return found && { part: { unit: 'portion', name: `@${found.name}` }, end: from + found.words }
}

/** An ordinal before its unit: `The Third Gate`, `23rd letter`. */
function countedAt(words: readonly Word[], at: number): PartAt | undefined {
  const keys = words.slice(at, at + 4).map(({ key }) => key)
  const skipped = keys[0] === 'the' ? 1 : 0
  const found = ordinalInWords(keys.slice(skipped))
  const unit = found && partUnit(keys[skipped + found.words] ?? '')
  if (!found || unit === undefined) return undefined
  return { part: { unit, name: String(found.value) }, end: at + skipped + found.words + 1 }
}

/** A unit that is joined to its number in one word: `פל"ב`, `סי"א`, `ח"ב`. */
function gluedAt(words: readonly Word[], at: number): PartAt | undefined {
  const { text = '' } = words[at] ?? {}
  const volume = /^[בה]?ח"([א-י])$/.exec(text)?.[1]
  const [unit, written] =
    volume !== undefined
      ? ['part', volume]
      : chapterIn(text) !== undefined
        ? ['chapter', chapterIn(text)]
        : ['siman', hebrewNumber(text) === undefined ? simanIn(text) : undefined]
  const value = written === undefined ? undefined : hebrewNumber(written)
  return unit === undefined || value === undefined
    ? undefined
    : { part: { unit, name: String(value) }, end: at + 1 }
}

/** A unit before its number: `Chapter 3`, `שער שני`, `דף ב ע"א`. */
function unitAt(words: readonly Word[], at: number, anyUnit: boolean): PartAt | undefined {
  const [unit, next] = [words[at], words[at + 1]]
  if (!unit || !next || /\d/.test(unit.key)) return undefined
  const known = partUnit(unit.key)
  const mayBeNumber = hebrewNumber(unit.text) !== undefined || romanOf(unit.text) !== undefined
  if (known === undefined && (!anyUnit || mayBeNumber)) return undefined
  const found = numberAt(words, at + 1, true)
  return found && { part: { unit: known ?? unit.key, name: found.name }, end: found.end }
}

function bareAt(words: readonly Word[], at: number): PartAt | undefined {
  // A single `I` before another number is one: `Zohar I 15a`.
  const isNumbered = /^\d/.test(words[at + 1]?.text ?? '')
  if (words[at]?.text === 'I' && isNumbered) return { part: { unit: undefined, name: '1' }, end: at + 1 }
  const found = numberAt(words, at, false)
  return found && { part: { unit: undefined, name: found.name }, end: found.end }
}

/** A number, with the side of its leaf. Numbers in words and a single Roman letter need a unit before them. */
function numberAt(
  words: readonly Word[],
  at: number,
  hasUnit: boolean,
): { readonly name: string; readonly end: number } | undefined {
  const { text = '', behind = '' } = words[at] ?? {}
  if (/^\d{1,4}[a-d]?$/i.test(text)) return { name: text.toLowerCase().replace(/^0+(?=\d)/, ''), end: at + 1 }
  const keys = words.slice(at, at + 5).map(({ key }) => key)
  const spelled = hasUnit
    ? (hebrewNumberInWords(keys) ?? numberInWords(keys) ?? ordinalInWords(keys))
    : undefined
  const value = hebrewNumber(text)
  if (spelled && value === undefined) return { name: String(spelled.value), end: at + spelled.words }
  if (value === undefined) {
    const roman = hasUnit ? romanOf(text) : romanNumber(text)
    return roman === undefined ? undefined : { name: String(roman), end: at + 1 }
  }
  const [side, end] = sideAfter(words, at + 1, behind)
  return { name: `${value}${side}`, end }
}

/** The side of a leaf after its number, and the index after it. */
function sideAfter(words: readonly Word[], at: number, behind: string): readonly [side: string, end: number] {
  const [first, second] = [words[at]?.text ?? '', words[at + 1]?.text ?? '']
  const side = /^ע"([אב])$/.exec(first)?.[1]
  if (side !== undefined) return [side === 'א' ? 'a' : 'b', at + 1]
  if (hasUnitRole(first, 'page') && /^[אב]'?$/.test(second))
    return [second.startsWith('א') ? 'a' : 'b', at + 2]
  // Only at the end of a ref, because elsewhere a dot or a colon separates numbers.
  if (at === words.length && /^[.:]$/.test(behind)) return [behind === '.' ? 'a' : 'b', at]
  return ['', at]
}

/** A Roman number where one is expected, so that a single `I` is one too. */
function romanOf(text: string): number | undefined {
  return text === 'I' ? 1 : romanNumber(text)
}
