import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { chapterIn, simanIn } from './hebrew-refs.ts'
import { romanNumber } from './number-words.ts'
import type { AddressPart } from './ref-parts.ts'
import { bare, gapBefore, type TextWord } from './text-words.ts'
import { isHebrewUnit, latinUnits, partWords, unitOf } from './units.ts'

/** A short text with its words. */
export type Words = { readonly text: string; readonly words: readonly TextWord[] }

/** One number of a ref with its unit. Indexes are those of words. */
export type RefItem = {
  readonly from: number
  readonly end: number
  /** As the first column of `units.tsv`. */
  readonly unit: string | undefined
  readonly value: AddressPart
  /** The side of a leaf that it can be: `ע"א` and a bare letter from א to ד. */
  readonly side: string | undefined
  /** Whether it can only be a side if a number precedes it: `ע"א`. */
  readonly isSide: boolean
  /** Whether it has a unit or digits. A bare Hebrew word before another number may belong to the title. */
  readonly isSure: boolean
}

/** Numbers that reach the end of a ref, and the numbers at the end of their range. */
export type Chain = {
  readonly items: readonly RefItem[]
  readonly until: readonly AddressPart[] | undefined
}

/**
 * How a word may be read: `פ"ב` is chapter 2 if units may be joined to numbers; a Roman number needs no unit. Printed
 * refs have only numbers with a geresh or gershayim, with colons between them; a bare letter is the side of a leaf.
 */
export type Notation = 'plain' | 'joined' | 'roman' | 'printed'

const range = /^\s*[-–—־]\s*$/

/** Maximum number of numbers; no address has more levels. */
const maxItems = 6

/** The numbers from each word to the end of a ref; undefined for words where none begin. */
export function chainsOf(read: Words, notation: Notation): readonly (Chain | undefined)[] {
  const chains: (Chain | undefined)[] = []
  for (let at = read.words.length - 1; at >= 0; at -= 1) {
    const item = itemAt(read, at, notation)
    chains[at] = item && chainFrom(read, item, chains, notation)
  }
  return chains
}

function chainFrom(
  { text, words }: Words,
  item: RefItem,
  chains: readonly (Chain | undefined)[],
  notation: Notation,
): Chain | undefined {
  const gap = gapBefore(text, words, item.end)
  if (item.end === words.length) return endOf(item, gap, text)
  const next = chains[item.end]
  if (range.test(gap)) return rangeFrom({ text, words }, item, next)
  const isNext = notation === 'printed' ? gap === ':' : isJoint(gap)
  if (!next || !isNext || next.items.length >= maxItems) return undefined
  return { items: [item, ...next.items], until: next.until }
}

/** Whether a gap separates two numbers of an address. */
export function isJoint(gap: string): boolean {
  return /^(?:\s*[.:,]\s*|\s+|\s*[.:,]?\s*[§#¶]\s*)$/.test(gap)
}

function rangeFrom({ text, words }: Words, item: RefItem, next: Chain | undefined): Chain | undefined {
  const letter = item.end === words.length - 1 ? sideIn(words[item.end]) : undefined
  if (letter !== undefined && /[a-d]$/.test(item.value))
    return { items: [item], until: [item.value.slice(0, -1) + letter] }
  if (!next || next.until !== undefined || sideMark.test(text)) return undefined
  return { items: [item], until: addressOf(next.items) }
}

/** A dot or a colon behind the Hebrew letters of a leaf means its sides. */
const sideMark = /(?<=[א-ת]["'׳״]?)[.:]$/

function endOf(item: RefItem, behind: string, text: string): Chain | undefined {
  if (!sideMark.test(text)) return behind === '' ? { items: [item], until: undefined } : undefined
  const value = item.value + (behind === '.' ? 'a' : 'b')
  return { items: [{ ...item, value, side: undefined }], until: undefined }
}

const sideLetters: Readonly<Record<string, string>> = { א: 'a', ב: 'b', ג: 'c', ד: 'd' }

function sideIn(word: TextWord | undefined): string | undefined {
  const written = bare(word).replace(/'$/, '').toLowerCase()
  return /^[a-d]$/.test(written) ? written : sideLetters[written]
}

/** The number, with its unit, that begins at a word. */
export function itemAt({ text, words }: Words, at: number, notation: Notation): RefItem | undefined {
  if (notation === 'printed') return printedItemAt({ text, words }, at)
  const written = bare(words[at])
  const signs = /[§#¶](?=\s*$)/.exec(gapBefore(text, words, at))
  const plain = { from: at, end: at + 1, unit: signs ? unitOf(signs[0]) : undefined, isSide: false }
  if (isUnitAt({ text, words }, at)) {
    const value = numberIn(bare(words[at + 1]))
    const unit = unitOf(words[at]?.key ?? '') ?? unitOf(written)
    if (value !== undefined)
      return { ...plain, end: at + 2, unit, value, side: sideIn(words[at + 1]), isSure: true }
  }
  const [unit, number] = notation === 'joined' ? joinedIn(written) : []
  if (number !== undefined) return { ...plain, unit, value: number, side: undefined, isSure: true }
  const value = numberIn(written, notation === 'roman' && !partWords.has(words[at - 1]?.key ?? ''))
  if (value === undefined) return undefined
  const side = /^ע"([אב])$/.exec(written)?.[1]
  const isSure = plain.unit !== undefined || /^\d/.test(written)
  if (side !== undefined) return { ...plain, value, side: sideLetters[side], isSide: true, isSure: false }
  return { ...plain, value, side: sideIn(words[at]), isSure }
}

/** A number as it is printed, with the side of its leaf: `ב׳ א`. */
function printedItemAt({ text, words }: Words, at: number): RefItem | undefined {
  const written = bare(words[at])
  const value = /^[א-ת].*["']|^0$/.test(written) ? numberIn(written) : undefined
  if (value === undefined) return undefined
  const isSided = gapBefore(text, words, at + 1) === ' ' && /^[א-ד]$/.test(bare(words[at + 1]))
  const side = isSided ? sideIn(words[at + 1]) : undefined
  const end = side === undefined ? at + 1 : at + 2
  return {
    from: at,
    end,
    unit: undefined,
    value: value + (side ?? ''),
    side: undefined,
    isSide: false,
    isSure: true,
  }
}

/** Whether a word is a unit before a number. In Hebrew the first word of a ref belongs to its title. */
function isUnitAt({ text, words }: Words, at: number): boolean {
  const gap = gapBefore(text, words, at + 1)
  if (latinUnits.has(words[at]?.key ?? '')) return /^[.:]?\s*$/.test(gap)
  return at > 0 && /^[\s,:]+["״]?$/.test(gap) && isHebrewUnit(bare(words[at]))
}

/** A unit and a number in one word: `פל"ב`, `סי"א`. */
export function joinedIn(written: string): readonly [unit?: string, value?: AddressPart] {
  const chapter = chapterIn(written)
  const value = hebrewNumber(chapter ?? simanIn(written) ?? '')
  return value === undefined ? [] : [chapter === undefined ? 'siman' : 'chapter', String(value)]
}

/** A number in digits or Hebrew letters. */
export function numberIn(written: string, mayBeRoman = false): AddressPart | undefined {
  const digits = /^0*(\d+[a-d]?)f{0,2}$/i.exec(written)?.[1]
  if (digits !== undefined) return digits.toLowerCase()
  return (hebrewNumber(written) ?? (mayBeRoman ? romanNumber(written) : undefined))?.toString()
}

/** The numbers of an address. A side is joined to the number before it. */
export function addressOf(items: readonly RefItem[]): readonly AddressPart[] {
  const parts: AddressPart[] = []
  for (const { value, side, isSide } of items) {
    const before = parts.at(-1)
    if (isSide && before !== undefined && /\d$/.test(before)) parts.splice(-1, 1, before + side)
    else parts.push(value)
  }
  return parts
}

/** The address whose last number is the side of the leaf before it, if it can be one: `ב א` for 2a. */
export function sidedAddress(items: readonly RefItem[]): readonly AddressPart[] | undefined {
  const [last, before] = items.toReversed()
  if (last?.side === undefined || last.isSide || !before || !/\d$/.test(before.value)) return undefined
  return [...addressOf(items.slice(0, -2)), before.value + last.side]
}
