import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { chapterIn, digits, isCommonWordAt, isMarked, isNumber, simanIn } from './hebrew-refs.ts'
import { hebrewNumberInWords, numberInWords, ordinalInWords, romanNumber } from './number-words.ts'
import { bare, gapBefore, isBreak, keysOfRole, type TextWord } from './text-words.ts'
import { hasUnitRole, innerUnit, isHebrewUnit, latinUnits, partWords } from './units.ts'

/**
 * Consecutive numbers in a text, with their units: `32:4-6`, `ch. 32, paragraph 4`, `פרק ל"ב`, `ב ע"א`. Indexes are
 * those of the text's words; ends are exclusive.
 */
export type AddressRun = {
  readonly from: number
  /** Possible ends of the address, longest first. All but the last count only if the library has the place. */
  readonly ends: readonly number[]
  /** The end of each of its numbers, in order. */
  readonly numberEnds: readonly number[]
  /** Whether it begins with a unit. Only then may it stand apart from its title. */
  readonly hasUnit: boolean
  /** Whether it begins with a part: `Part 3`. */
  readonly hasPart: boolean
  /** Whether its first number is a bare Hebrew word, which may not be a number. */
  readonly isWord: boolean
}

/** Maximum numbers of an address; none has more levels. */
const maxNumbers = 6

/** How a number is joined to the number before it. `tight` numbers always belong together. */
type Joint = 'tight' | 'loose' | 'none'

type Item = {
  readonly end: number
  readonly hasUnit: boolean
  readonly isPart: boolean
  readonly isWord: boolean
}

/** Parses the address that begins at a word; undefined if there is none. */
export function addressAt(text: string, words: readonly TextWord[], from: number): AddressRun | undefined {
  const first = itemAt(text, words, from)
  if (!first) return undefined
  const ends = [first.end]
  let surest = 1
  let last = { ...first, from }
  while (ends.length < maxNumbers) {
    const next = itemAt(text, words, last.end)
    const isOne = next && !(next.hasUnit && isFurther(words[last.end]))
    const joint = isOne ? jointOf(text, words, last, next) : 'none'
    if (!next || joint === 'none') break
    ends.push(next.end)
    if (joint === 'tight' && surest === ends.length - 1) surest = ends.length
    last = { ...next, from: last.end }
  }
  return {
    from,
    ends: ends.slice(surest - 1).reverse(),
    numberEnds: ends,
    hasUnit: first.hasUnit,
    hasPart: first.isPart,
    isWord: first.isWord && ends.length === 1,
  }
}

/** The address that a Roman number without a unit begins directly after a title: `Tanya XXVI`, `Ps. xxiii, v. 4`. */
export function romanAddressAt(
  text: string,
  words: readonly TextWord[],
  from: number,
): AddressRun | undefined {
  const written = words[from]?.text ?? ''
  if (romanNumber(written) === undefined) return undefined
  const end = from + 1
  const next = /^,? $/.test(gapBefore(text, words, end)) ? addressAt(text, words, end) : undefined
  const inner = next && innerUnitOf({ text, words }, next) !== undefined ? next : undefined
  return {
    from,
    ends: inner?.ends ?? [end],
    numberEnds: [end, ...(inner?.numberEnds ?? [])],
    hasUnit: false,
    hasPart: false,
    isWord: inner === undefined && !/^[A-Z]{2}/.test(written),
  }
}

/** Returns the unit of a number if it is one below a chapter, see `innerUnit`. */
export function innerUnitOf(
  { text, words }: { readonly text: string; readonly words: readonly TextWord[] },
  { from, hasUnit }: AddressRun,
): string | undefined {
  return hasUnit ? innerUnitAt(text, words, from) : undefined
}

function innerUnitAt(text: string, words: readonly TextWord[], at: number): string | undefined {
  const word = words[at]
  if (!word) return undefined
  return innerUnit(/^\d/.test(word.text) ? signBefore(text, word).trimEnd() : bare(word).toLowerCase())
}

function jointOf(
  text: string,
  words: readonly TextWord[],
  before: Item & { readonly from: number },
  item: Item,
): Joint {
  const gap = gapBefore(text, words, before.end)
  // The number of a list item is not part of the ref, on the next line or in the same one.
  const ends = isBreak(gap) && !isOldStyle(text, words, before, item)
  if (ends || /[()[\]{}«»“”"\n]/.test(gap) || isListNumber(text, words, item)) return 'none'
  if (isJoined(gap, words[before.end], words[before.end - 1])) return 'tight'
  const inner = innerUnitAt(text, words, before.end)
  if (inner !== undefined) return jointOfInner(gap, inner, innerUnitAt(text, words, before.from))
  if (/^(?:[:.]|\s?[-–—־]\s?)$/.test(gap))
    return item.hasUnit || (item.isWord && /\s/.test(gap)) ? 'none' : 'tight'
  if (!isWeak(gap)) return 'none'
  if (item.hasUnit || item.isPart || before.isPart) return 'tight'
  return item.isWord && isCommonWordAt(text, words, item.end - 1) ? 'none' : 'loose'
}

/** Whether a dot stands between a Roman chapter and a verse that ends the ref: `(Ps. xxiii. 4)`. */
function isOldStyle(text: string, words: readonly TextWord[], before: Item, item: Item): boolean {
  const end = words[item.end - 1]?.end ?? 0
  return (
    before.isPart &&
    romanNumber(words[before.end - 1]?.text ?? '') !== undefined &&
    /^\. $/.test(gapBefore(text, words, before.end)) &&
    /^\.?\s?[)\];–-]/.test(text.slice(end, end + 3))
  )
}

/** Characters before a bracket in which the one that it closes is looked for. */
const longestBracket = 200

/** Whether a number has a bracket behind it that closes none: `Tanya 31 2) The next`. */
export function isListNumber(
  text: string,
  words: readonly TextWord[],
  { end, hasUnit }: Pick<Item, 'end' | 'hasUnit'>,
): boolean {
  const at = words[end - 1]?.end ?? 0
  const before = text.slice(Math.max(0, at - longestBracket), at)
  return !hasUnit && text.charAt(at) === ')' && before.lastIndexOf('(') <= before.lastIndexOf(')')
}

const sided = /^(?:ע"[אב]|\d{1,4}[a-d])$/i

/** Whether a word is the side of a leaf, or the number of the sign `§`, which joins it to what precedes. */
function isJoined(gap: string, word: TextWord | undefined, before: TextWord | undefined): boolean {
  const isLeaf = sided.test(bare(word)) && !sided.test(bare(before))
  return /^\s?§\s?$/.test(gap) || (isWeak(gap) && isLeaf)
}

/** Whether a unit begins another place: `ובפרק כו`. */
function isFurther(word: TextWord | undefined): boolean {
  return /^ו[בהלמש]?[א-ת]{3}/.test(bare(word))
}

/** How a number with a unit below a chapter is joined. `above` is the unit of the number before it. */
function jointOfInner(gap: string, unit: string, above: string | undefined): Joint {
  // `paragraph 2, paragraph 3` are two places, and `paragraph 3, verse 4` may be two.
  if (unit === above || /^[:.]$/.test(gap) || !isWeak(gap.replace(/[§¶]/, ''))) return 'none'
  return above === undefined ? 'tight' : 'loose'
}

/** Whether a gap has only spaces and signs that may stand within an address. */
function isWeak(gap: string): boolean {
  return /^[\s,:.]*$/.test(gap)
}

/** Parses one number with its unit, in one or more words: `32`, `chapter thirty two`, `פרק לב`, `פל"ב`, `ע"א`. */
function itemAt(text: string, words: readonly TextWord[], at: number): Item | undefined {
  const item = oneItemAt(text, words, at)
  if (!item || gapBefore(text, words, item.end) !== ' ') return item
  return opensRange.test(words[item.end]?.text ?? '') ? { ...item, end: item.end + 1 } : item
}

/** Words that extend a number to the places after it. */
const opensRange = /^(?:ff?|ואילך|והלאה)$/

function oneItemAt(text: string, words: readonly TextWord[], at: number): Item | undefined {
  const word = words[at]
  if (!word) return undefined
  const counted = ordinalEnd(words, at)
  if (counted !== undefined) return { ...plain, end: counted, hasUnit: true }
  if (/^\p{Script=Latin}/u.test(word.text)) return latinItem(text, words, at)
  if (digits.test(word.text)) return { ...plain, end: at + 1, hasUnit: signBefore(text, word) !== '' }
  const written = bare(word)
  if (isHebrewUnit(written)) {
    const number = words[at + 1]
    if (!number || isBreak(gapBefore(text, words, at + 1))) return undefined
    const spelled = hebrewNumberInWords(words.slice(at + 1, at + 4).map(({ key }) => key))
    if (spelled) return { ...plain, end: at + 1 + spelled.words, hasUnit: true }
    return isNumber(bare(number)) ? { ...plain, end: at + 2, hasUnit: true } : undefined
  }
  return bareItem(written, at)
}

function bareItem(written: string, at: number): Item | undefined {
  if (chapterIn(written) !== undefined) return { ...plain, end: at + 1, hasUnit: true }
  // `סי"א` is no number, so it can only be siman 11. `ס"א` is a number too.
  if (simanIn(written) !== undefined && hebrewNumber(written) === undefined)
    return { ...plain, end: at + 1, hasUnit: true }
  if (/^ע"[אב]$/.test(written)) return { ...plain, end: at + 1 }
  // Without a unit, `שם` means ibid. and not 340.
  if (!isNumber(written) || written === 'שם') return undefined
  return { ...plain, end: at + 1, isWord: !isMarked(written) }
}

/** Works whose parts are letters. Elsewhere `the first letter of Genesis` is not a ref. */
const lettered = keysOfRole('divided-by-letters')

/** Index after an ordinal with its unit: `60th chapter`, `thirty-second epistle`. */
function ordinalEnd(words: readonly TextWord[], at: number): number | undefined {
  const found = ordinalInWords(words.slice(at, at + 2).map(({ key }) => key))
  if (!found) return undefined
  const end = at + found.words + 1
  const unit = words[end - 1]?.key ?? ''
  const isOther = unit === 'letter' && !words.slice(end, end + 4).some(({ key }) => lettered.has(key))
  return hasUnitRole(unit, 'counted') && !isOther ? end : undefined
}

const plain: Omit<Item, 'end'> = { hasUnit: false, isPart: false, isWord: false }

/** Matches the sign of a unit before its number. With a space, `#` begins a heading: `## 3. On love`. */
const sign = /[§¶]\s?$|#$/

/** Returns the sign before a number with the space between them; empty if there is none. */
export function signBefore(text: string, { start }: TextWord): string {
  return sign.exec(text.slice(Math.max(0, start - 2), start))?.[0] ?? ''
}

/** Units before which `one` is a pronoun: `no one`, `the Torah one learns`. */
const pronounBehind = new Set(['no', 'torah'])

/** Whether a word and a number mean something else: `no one`, `c. 1745`, `the letter: one must`. */
function hasOtherSense(unit: string, gap: string, number: string): boolean {
  if (gap.startsWith(':') && !digits.test(number)) return true
  return (pronounBehind.has(unit) && number === 'one') || (unit === 'c' && /^\d{4}/.test(number))
}

function latinItem(text: string, words: readonly TextWord[], at: number): Item | undefined {
  const unit = words[at]?.key ?? ''
  const gap = gapBefore(text, words, at + 1)
  const next = words[at + 1]
  // A part as a Roman number: `Likutei Moharan II:48`. A single `I` is one only before a colon: `Zohar I:11b`.
  const isRoman = romanNumber(words[at]?.text ?? '') !== undefined || (words[at]?.text === 'I' && gap === ':')
  if (/^\s?[:.,]\s?$/.test(gap) && isRoman)
    return /^\d/.test(next?.text ?? '') ? { ...plain, end: at + 1, isPart: true } : undefined
  const isPart = partWords.has(unit)
  if ((!latinUnits.has(unit) && !isPart) || !/^[.:]?\s+$|^\.$/.test(gap)) return undefined
  const end = hasOtherSense(unit, gap, next?.text ?? '') ? undefined : numberEnd(words, at + 1)
  return end === undefined ? undefined : { ...plain, end, hasUnit: !isPart, isPart }
}

/** Index after the number that follows a unit: digits, a Roman number or words. */
function numberEnd(words: readonly TextWord[], at: number): number | undefined {
  const written = words[at]?.text ?? ''
  if (digits.test(written) || romanNumber(written) !== undefined) return at + 1
  if (/^[א-ת]{1,4}["'׳״]/.test(written) && isNumber(bare(words[at]))) return at + 1
  const spelled = numberInWords(words.slice(at, at + 5).map(({ key }) => key))
  return spelled && at + spelled.words
}
