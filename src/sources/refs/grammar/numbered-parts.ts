import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { parashaAt } from '../../vocabulary/titles/parashot.ts'
import { hebrewNumberInWords, numberInWords, ordinalInWords, romanNumber } from './number-words.ts'
import { joinedIn, numberIn, type Words } from './ref-items.ts'
import { bare, gapBefore, keysOfRole, wordsOf } from './text-words.ts'
import { hasUnitRole, partUnit } from './units.ts'

/**
 * A part of a work as headings and refs name it, in any language and spelling: `Chapter 3`, `פרק ג`, `ch. III` and `The
 * Third Chapter` are the same part. `name` is a number (`3`, `15a`) or a weekly portion (`@noach`).
 */
export type NumberedPart = { readonly unit: string | undefined; readonly name: string }

/** Further words of a name are not read, so that hostile input stays cheap. */
const maxWords = 40

/** The words of a name of a part. */
export function readName(text: string): Words {
  return { text, words: wordsOf(text).slice(0, maxWords) }
}

/** A part that begins at a word, with the index after its last word. */
export type PartAt = { readonly part: NumberedPart; readonly end: number }

/** Words before the name of a weekly portion. */
const portionWords = keysOfRole('portion')

/** Reads the part that begins at a word. With `anyUnit`, any word directly before a number is its unit. */
export type ReadPart = (read: Words, at: number, anyUnit: boolean) => PartAt | undefined

/** A number with its unit in either order, or alone. */
export const numberedAt: ReadPart = (read, at, anyUnit) =>
  countedAt(read, at) ?? gluedAt(read, at) ?? unitAt(read, at, anyUnit) ?? bareAt(read, at)

/** The same, or a weekly portion. */
export const partAt: ReadPart = (read, at, anyUnit) => portionAt(read, at) ?? numberedAt(read, at, anyUnit)

/** A weekly portion, with or without the word for one. */
export function portionAt({ words }: Words, at: number): PartAt | undefined {
  const from = portionWords.has(words[at]?.key ?? '') ? at + 1 : at
  const found = parashaAt(words.slice(from, from + 3).map(({ key }) => key))
  return found && { part: { unit: 'portion', name: `@${found.name}` }, end: from + found.words }
}

/** An ordinal before its unit: `The Third Gate`, `23rd letter`. */
function countedAt({ words }: Words, at: number): PartAt | undefined {
  const keys = words.slice(at, at + 4).map(({ key }) => key)
  const skipped = keys[0] === 'the' ? 1 : 0
  const found = ordinalInWords(keys.slice(skipped))
  const unit = found && partUnit(keys[skipped + found.words] ?? '')
  if (!found || unit === undefined) return undefined
  return { part: { unit, name: String(found.value) }, end: at + skipped + found.words + 1 }
}

/** A unit that is joined to its number in one word: `פל"ב`, `סי"א`, `ח"ב`. */
function gluedAt({ words }: Words, at: number): PartAt | undefined {
  const written = bare(words[at])
  const volume = hebrewNumber(/^[בה]?ח"([א-י])$/.exec(written)?.[1] ?? '')
  if (volume !== undefined) return { part: { unit: 'part', name: String(volume) }, end: at + 1 }
  const [unit, name] = joinedIn(written)
  // `ס"א` is a number too.
  if (name === undefined || (unit === 'siman' && hebrewNumber(written) !== undefined)) return undefined
  return { part: { unit, name }, end: at + 1 }
}

/** A unit before its number: `Chapter 3`, `שער שני`, `דף ב ע"א`. */
function unitAt(read: Words, at: number, anyUnit: boolean): PartAt | undefined {
  const [unit, next] = [read.words[at], read.words[at + 1]]
  if (!unit || !next || /\d/.test(unit.key)) return undefined
  const known = partUnit(unit.key)
  const mayBeNumber = numberIn(bare(unit), true) !== undefined || unit.text === 'I'
  if (known === undefined && (!anyUnit || mayBeNumber)) return undefined
  const found = numberAt(read, at + 1, true)
  return found && { part: { unit: known ?? unit.key, name: found.name }, end: found.end }
}

function bareAt(read: Words, at: number): PartAt | undefined {
  // A single `I` before another number is one: `Zohar I 15a`.
  const isOne = read.words[at]?.text === 'I' && /^\d/.test(read.words[at + 1]?.text ?? '')
  const found = isOne ? { name: '1', end: at + 1 } : numberAt(read, at, false)
  return found && { part: { unit: undefined, name: found.name }, end: found.end }
}

/** A number, with the side of its leaf. Numbers in words and a single Roman letter need a unit before them. */
function numberAt(
  read: Words,
  at: number,
  hasUnit: boolean,
): { readonly name: string; readonly end: number } | undefined {
  const value = numberIn(bare(read.words[at]))
  if (value !== undefined) {
    const [side, end] = /\d/.test(read.words[at]?.text ?? '') ? ['', at + 1] : sideAfter(read, at + 1)
    return { name: value + side, end }
  }
  const text = read.words[at]?.text ?? ''
  const keys = hasUnit ? read.words.slice(at, at + 5).map(({ key }) => key) : []
  const spelled = hebrewNumberInWords(keys) ?? numberInWords(keys) ?? ordinalInWords(keys)
  const roman = hasUnit && text === 'I' ? 1 : romanNumber(text)
  if (spelled) return { name: String(spelled.value), end: at + spelled.words }
  return roman === undefined ? undefined : { name: String(roman), end: at + 1 }
}

/** The side of a leaf after its number, and the index after it. */
function sideAfter({ text, words }: Words, at: number): readonly [side: string, end: number] {
  const [first, second] = [bare(words[at]), bare(words[at + 1])]
  const side = /^ע"([אב])$/.exec(first)?.[1]
  if (side !== undefined) return [side === 'א' ? 'a' : 'b', at + 1]
  if (hasUnitRole(first, 'page') && /^[אב]'?$/.test(second))
    return [second.startsWith('א') ? 'a' : 'b', at + 2]
  // Only at the end of a ref, because elsewhere a dot or a colon separates numbers.
  const behind = at === words.length ? gapBefore(text, words, at) : ''
  return /^[.:]$/.test(behind) ? [behind === '.' ? 'a' : 'b', at] : ['', at]
}
