import { readFileSync } from 'node:fs'
import { medial } from '../../text/fold.ts'
import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { bare, gapBefore, type TextWord, wordsOf } from './text-words.ts'
import { hasUnitRole, isHebrewUnit, latinUnits, partWords } from './units.ts'

const rows = readFileSync(new URL('./numbers.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'))

/** The words of a column of `numbers.tsv` with their values. */
function column(at: number): ReadonlyMap<string, number> {
  return new Map(
    rows.flatMap((row) =>
      medial(row[at] ?? '')
        .split(' ')
        .flatMap((word) => (word === '' ? [] : [[word, Number(row[0])] as const])),
    ),
  )
}

const english = column(1)
const ordinals = column(2)
/** Transliterated names of Hebrew letters. */
const letters = column(3)
/** With medial letters. */
const hebrew = column(4)

export type NumberInWords = { readonly value: number; readonly words: number }

/** The ordinal at the start of these lower-case words, with their count: `60th`, `thirty second`. */
export function ordinalInWords([first = '', second = '']: readonly string[]): NumberInWords | undefined {
  const digits = /^(\d{1,4})(?:st|nd|rd|th)$/.exec(first)
  const one = digits ? Number(digits[1]) : ordinals.get(first)
  if (one !== undefined) return { value: one, words: 1 }
  const ten = english.get(first) ?? 0
  const rest = ordinals.get(second) ?? 10
  return ten >= 20 && rest < 10 ? { value: ten + rest, words: 2 } : undefined
}

/** Maximum words of a number: `one hundred and twenty three`. */
const maxWords = 5

/** The number at the start of these lower-case words, with their count: `thirty two`, `lamed beis`. */
export function numberInWords(words: readonly string[]): NumberInWords | undefined {
  return spelledByLetters(words) ?? spelledInEnglish(words)
}

function spelledByLetters(words: readonly string[]): NumberInWords | undefined {
  let sum = 0
  let count = 0
  let last = Number.POSITIVE_INFINITY
  for (const word of words.slice(0, 4)) {
    const value = letters.get(word)
    if (value === undefined || value > last) break
    // Fifteen and sixteen are written `tes vav` and `tes zayin`, so any lower letter may follow.
    sum += value
    last = value
    count += 1
  }
  return count === 0 ? undefined : { value: sum, words: count }
}

function spelledInEnglish(words: readonly string[]): NumberInWords | undefined {
  let sum = 0
  let end = 0
  for (const [i, word] of words.slice(0, maxWords).entries()) {
    const value = english.get(word)
    if (word === 'hundred' && sum >= 1 && sum <= 9) sum *= 100
    else if (value !== undefined && fits(sum, value)) sum += value
    else if (word === 'and' && sum >= 100) continue
    else break
    end = i + 1
  }
  return end === 0 ? undefined : { value: sum, words: end }
}

/** Whether a value may follow: after `thirty` one digit, after a hundred anything below it. */
function fits(sum: number, value: number): boolean {
  if (sum === 0) return true
  const below = sum % 100
  return below === 0 ? true : below >= 20 && below % 10 === 0 && value < 10
}

/** Parses a Hebrew number, in words with medial letters: `שלושים ושתיים`, `חמישה עשר`, `המאה`. */
export function hebrewNumberInWords(words: readonly string[]): NumberInWords | undefined {
  let sum = 0
  let count = 0
  for (const word of words.slice(0, 3)) {
    const value = hebrew.get(word) ?? hebrew.get(word.replace(count === 0 ? /^ה/ : /^ו/, ''))
    const isTeen = value === 10 && sum > 0 && sum < 10
    if (value === undefined || (sum > 0 && !isTeen && (sum % 100 === 0 ? false : value >= 10 || sum < 20)))
      break
    sum += value
    count += 1
  }
  return count === 0 ? undefined : { value: sum, words: count }
}

/** All words of numbers in both languages, in the form of `headingKey`. */
export function numberWords(): readonly string[] {
  const inHebrew = [...hebrew.keys()]
  const latin = [...english.keys(), ...letters.keys(), ...ordinals.keys(), 'hundred']
  return [...latin, ...inHebrew, ...inHebrew.map((word) => `ה${word}`)]
}

const romanNumeral = /^(?=[IVXLC]{2}|[VX]$)(C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$/
const romanParts: readonly (readonly [letters: string, value: number])[] = [
  ['C', 100],
  ['XC', 90],
  ['L', 50],
  ['XL', 40],
  ['X', 10],
  ['IX', 9],
  ['V', 5],
  ['IV', 4],
  ['I', 1],
]
const romanValues: ReadonlyMap<string, number> = new Map(romanParts)

/** Roman numbers in small letters that are also words or abbreviations. */
const smallWords = new Set('cc ci cl cv li xl'.split(' '))

/**
 * Parses a Roman number below 400, in capitals or in small letters: `XXVI`, `xxvi`. Of single letters only the capitals V
 * and X count, because the others are words or initials.
 */
export function romanNumber(word: string): number | undefined {
  const isSmall = /^[ivxlc]{2,}$/.test(word) && !smallWords.has(word)
  const capitals = isSmall ? word.toUpperCase() : word
  if (!romanNumeral.test(capitals)) return undefined
  const values = [...capitals].map((letter) => romanValues.get(letter) ?? 0)
  return values.reduce((sum, value, i) => (value < (values[i + 1] ?? 0) ? sum - value : sum + value), 0)
}

/** Writes a number below 400 in Roman letters; empty for others. */
export function toRomanNumber(number: number): string {
  if (number >= 400) return ''
  let left = number
  let written = ''
  for (const [part, value] of romanParts) {
    while (left >= value) {
      written += part
      left -= value
    }
  }
  return written
}

/**
 * Converts number words at a unit to digits: `chapter thirty-two` and `chapter XXXII` to `chapter 32`, `60th chapter` to
 * `chapter 60`, `פרק שלושים` to `פרק 30`.
 */
export function withDigits(text: string): string {
  const words = wordsOf(text)
  let made = ''
  let from = 0
  for (let at = 0; at < words.length; ) {
    const found = countedAt(text, words, at) ?? spelledAt(text, words, at)
    if (found) {
      made += `${text.slice(from, words[at]?.start)}${found.unit} ${found.value}`
      from = words[found.end - 1]?.end ?? from
    }
    at = found?.end ?? at + 1
  }
  return made + text.slice(from)
}

type Spelled = { readonly unit: string; readonly value: number; readonly end: number }

/** An ordinal before its unit: `60th chapter`, `thirty-second letter`. */
function countedAt(text: string, words: readonly TextWord[], at: number): Spelled | undefined {
  const keys = joinedKeys(text, words, at)
  const found = ordinalInWords(keys)
  const unit = found && keys[found.words]
  if (!found || unit === undefined || !hasUnitRole(unit, 'counted')) return undefined
  return { unit: words[at + found.words]?.text ?? unit, value: found.value, end: at + found.words + 1 }
}

/** A unit before a number that is neither digits nor plain Hebrew letters: `chapter XV`, `perek ל"ב`, `פרק שני`. */
function spelledAt(text: string, words: readonly TextWord[], at: number): Spelled | undefined {
  const [word, next] = [words[at], words[at + 1]]
  if (!word) return undefined
  if (/[§#¶]\s*$/.test(gapBefore(text, words, at)))
    return spelledBehindSign(word, joinedKeys(text, words, at), at)
  if (!next || !isUnitBefore(word, gapBefore(text, words, at + 1))) return undefined
  // Elsewhere `I` is the pronoun: `in this chapter I explain`.
  const isOne = next.text === 'I' && at + 2 === words.length && latinUnits.has(word.key)
  const found = isOne
    ? { value: 1, words: 1 }
    : spelledNumber(word.key, next, joinedKeys(text, words, at + 1))
  if (!found) return undefined
  const end = at + 1 + found.words
  // `Part One` belongs to a title, unless a number follows.
  if (partWords.has(word.key) && !words.slice(end, end + 2).some(({ key }) => /^\d/.test(key)))
    return undefined
  return { unit: text.slice(word.start, next.start).trimEnd(), value: found.value, end }
}

function spelledBehindSign(word: TextWord, keys: readonly string[], at: number): Spelled | undefined {
  const found = /^[א-ת]/.test(word.key) ? undefined : spelledNumber('', word, keys)
  return found && { unit: '', value: found.value, end: at + found.words }
}

function isUnitBefore(word: TextWord, gap: string): boolean {
  return latinUnits.has(word.key) || partWords.has(word.key)
    ? /^\.?\s+$|^\.$/.test(gap)
    : gap === ' ' && isHebrewUnit(bare(word))
}

function spelledNumber(unit: string, next: TextWord, keys: readonly string[]): NumberInWords | undefined {
  if (/^[א-ת]/.test(unit)) return hebrewNumberInWords(keys)
  if (partWords.has(unit)) return spelledInEnglish(keys)
  const written = bare(next)
  const value = /^[א-ת].*["']/.test(written) ? hebrewNumber(written) : romanNumber(written)
  return value === undefined ? numberInWords(keys) : { value, words: 1 }
}

/** The keys of words that only spaces and hyphens separate. */
function joinedKeys(text: string, words: readonly TextWord[], at: number): readonly string[] {
  const keys = words.slice(at, at + maxWords + 1).map(({ key }) => key)
  const end = keys.findIndex((_, i) => i > 0 && !/^[\s-]+$/.test(gapBefore(text, words, at + i)))
  return end < 0 ? keys : keys.slice(0, end)
}

/** Without other letters, quotation marks and slashes, words are runs of these letters and digits. */
const plain = /^[a-z\d\s.,;:?!()[\]{}…–—-]*$/i

/** Matches what every ref with a number has in such a text: a digit that begins a word, or a unit. */
const number = new RegExp(
  `(?<![a-z\\d])(?:\\d|(?:${[...latinUnits, ...partWords].join('|')})(?![a-z\\d]))`,
  'i',
)

/** A Roman number: `Tanya XXVI`. */
const roman = /(?<![A-Za-z\d])(?:[IVXLC]{2,}|[ivxlc]{2,}|[VX])(?![A-Za-z\d])/

/**
 * Whether a text certainly has no ref with a number. It is a quick test for plain English texts; false says nothing.
 */
export function isWithoutNumbers(text: string): boolean {
  return plain.test(text) && !number.test(text) && !roman.test(text)
}
