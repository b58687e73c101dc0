import { medial } from '../../text/fold.ts'
import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { hebrewUnitPattern, latinUnitPattern } from './units.ts'

const ones =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')

/** English number words and transliterated names of Hebrew letters, with their values. */
const values: ReadonlyMap<string, number> = new Map([
  ...ones.map((word, i) => [word, i + 1] as const),
  ...tens.map((word, i) => [word, (i + 2) * 10] as const),
])
const letterNames: readonly (readonly [names: string, value: number])[] = [
  ['alef aleph', 1],
  ['beis bet beit beth', 2],
  ['gimel gimmel giml', 3],
  ['daled dalet daleth dalled', 4],
  ['hei hey heh', 5],
  ['vav vov', 6],
  ['zayin zayn', 7],
  ['ches chet chess cheth het', 8],
  ['tes tet teth teis', 9],
  ['yud yod yood', 10],
  ['kaf chaf khaf chof', 20],
  ['lamed lamedh', 30],
  ['mem', 40],
  ['nun noon', 50],
  ['samech samekh samach', 60],
  ['ayin', 70],
  ['pey peh pei', 80],
  ['tzadi tzadik tzaddi tzaddik tsadi tsaddi', 90],
  ['kuf kof quf', 100],
  ['reish resh', 200],
  ['shin', 300],
  ['tav taf', 400],
]
const letters: ReadonlyMap<string, number> = new Map(
  letterNames.flatMap(([names, value]) => names.split(' ').map((name) => [name, value] as const)),
)

const ordinals: ReadonlyMap<string, number> = new Map(
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth'
    .split(' ')
    .map((word, i) => [word, i + 1] as const)
    .concat([['hundredth', 100]]),
)

/**
 * Parses an ordinal at the start of these lower-case words: `60th`, `first`, `thirty second`, `thirtieth`. Returns
 * its value and number of words; undefined if there is none.
 */
export function ordinalInWords([first = '', second = '']: readonly string[]): NumberInWords | undefined {
  const digits = /^(\d{1,4})(?:st|nd|rd|th)$/.exec(first)
  if (digits) return { value: Number(digits[1]), words: 1 }
  const one =
    ordinals.get(first) ?? (first.endsWith('ieth') ? values.get(first.replace(/ieth$/, 'y')) : undefined)
  if (one !== undefined) return { value: one, words: 1 }
  const ten = values.get(first) ?? 0
  const rest = ordinals.get(second) ?? 10
  return ten >= 20 && rest < 10 ? { value: ten + rest, words: 2 } : undefined
}

/** Maximum words of a number: `one hundred and twenty three`. */
const maxWords = 5

export type NumberInWords = { readonly value: number; readonly words: number }

/**
 * Parses a number at the start of these lower-case words: `thirty two`, `one hundred and twelve`, `lamed beis`.
 * Returns its value and number of words; undefined if there is none.
 */
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
    const value = values.get(word)
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

const word = '[a-z]{1,10}'
/**
 * Matches words after a unit by lookahead, because each of them may be a unit itself: `Holy Letter, letter ten`. The
 * unit must end there: `Notes` is not `no.` with the letter tet.
 */
const spelled = new RegExp(
  `((?:^|[\\s,.:;(])${latinUnitPattern})(?:\\s+|(?<=[.§#¶]))(?=(${word}(?:[\\s-]+${word}){0,4}))`,
  'giu',
)

/**
 * Converts number words after a unit to digits: `chapter thirty-two` and `chapter XXXII` to `chapter 32`, `פרק
 * שלושים` to `פרק 30`.
 */
export function withDigits(text: string): string {
  const counted = text.replace(ordinalUnit, (whole, written: string, unit: string) => {
    const found = ordinalInWords(written.toLowerCase().split(/[\s-]+/))
    return found?.words === written.split(/[\s-]+/).length ? `${unit} ${found.value}` : whole
  })
  const lettered = counted.replace(hebrewBehindLatin, (whole, unit: string, written: string) => {
    const value = hebrewNumber(written)
    return value === undefined ? whole : `${unit}${value}`
  })
  const latin = replaceNumbers(lettered, spelled, (written) => {
    const roman = romanNumber(/^\S*/.exec(written)?.[0] ?? '')
    return roman === undefined
      ? numberInWords(written.toLowerCase().split(/[\s-]+/))
      : { value: roman, words: 1 }
  })
  const parted = latin.replace(
    spelledPart,
    (_, part: string, written: string) => `${part} ${values.get(written.toLowerCase()) ?? written}`,
  )
  return replaceNumbers(parted, spelledInHebrew, (written) =>
    hebrewNumberInWords(written.split(' ').map(medial)),
  )
}

/**
 * Writes digits for the number after each match of a unit. Group 2 of the pattern captures its words by lookahead.
 */
function replaceNumbers(
  text: string,
  units: RegExp,
  numberOf: (words: string) => NumberInWords | undefined,
): string {
  let made = ''
  let from = 0
  for (const { index, 0: whole, 1: unit = '', 2: written = '' } of text.matchAll(units)) {
    const found = index < from ? undefined : numberOf(written)
    if (!found) continue
    const length = written
      .split(/([\s-]+)/)
      .slice(0, found.words * 2 - 1)
      .join('').length
    made += `${text.slice(from, index)}${unit} ${found.value}`
    from = index + whole.length + length
  }
  return made + text.slice(from)
}

/** Matches Hebrew letters after an English unit: `perek ל"ב`. */
const hebrewBehindLatin = new RegExp(
  `((?:^|[\\s,.:;(])${latinUnitPattern}\\s+)([א-ת]{1,4}["'׳״][א-ת]?)(?![א-ת])`,
  'giu',
)

/** Matches an ordinal before its unit: `60th chapter`, `thirty-second letter`. */
const ordinalUnit =
  /\b(\d{1,4}(?:st|nd|rd|th)|[a-z]{4,7}y[\s-][a-z]{4,7}|[a-z]{4,11})\s+(chapter|perek|letter|epistle)\b/giu

/** Matches `Part One` before a number. Before other words it belongs to a title. */
const spelledPart = new RegExp(
  `\\b(part|volume|vol\\.?)\\s+(one|two|three|four|five|six)(?=[\\s,.:;]+(?:${latinUnitPattern}\\s*)?\\d)`,
  'giu',
)
const spelledInHebrew = new RegExp(
  `(?<![א-ת])(${hebrewUnitPattern}) (?=([א-ת]{2,7}(?: [א-ת]{2,7}){0,2})(?![א-ת"'׳״]))`,
  'gu',
)

const hebrewOnes: readonly (readonly [names: string, value: number])[] = [
  ['אחד אחת ראשון ראשונה', 1],
  ['שנים שניים שתים שתיים שני שניה שנייה', 2],
  ['שלשה שלושה שלש שלוש שלישי שלישית', 3],
  ['ארבעה ארבע רביעי רביעית', 4],
  ['חמשה חמישה חמש חמישי חמישית', 5],
  ['ששה שישה שש שישי ששי ששית', 6],
  ['שבעה שבע שביעי שביעית', 7],
  ['שמונה שמיני שמינית', 8],
  ['תשעה תשע תשיעי תשיעית', 9],
  ['עשרה עשר עשירי עשירית', 10],
  ['עשרים', 20],
  ['שלשים שלושים', 30],
  ['ארבעים', 40],
  ['חמשים חמישים', 50],
  ['ששים שישים', 60],
  ['שבעים', 70],
  ['שמונים', 80],
  ['תשעים', 90],
  ['מאה', 100],
  ['מאתים מאתיים', 200],
]
const hebrewValues: ReadonlyMap<string, number> = new Map(
  hebrewOnes.flatMap(([names, value]) =>
    medial(names)
      .split(' ')
      .map((name) => [name, value] as const),
  ),
)

/** Parses a Hebrew number, in words with medial letters: `שלושים ושתיים`, `חמישה עשר`, `המאה`. */
export function hebrewNumberInWords(words: readonly string[]): NumberInWords | undefined {
  let sum = 0
  let count = 0
  for (const word of words.slice(0, 3)) {
    const value = hebrewValues.get(word) ?? hebrewValues.get(word.replace(count === 0 ? /^ה/ : /^ו/, ''))
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
  const hebrew = [...hebrewValues.keys()]
  const english = [...values.keys(), ...letters.keys(), ...ordinals.keys(), 'hundred']
  const tenths = [...values.keys()]
    .filter((word) => word.endsWith('ty'))
    .map((word) => word.replace(/y$/, 'ieth'))
  return [...english, ...tenths, ...hebrew, ...hebrew.map((word) => `ה${word}`)]
}

const romanNumeral = /^(?=[IVXLC]{2}|[VX]$)(C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$/
const romanValues: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 }

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
  const values = [...capitals].map((letter) => romanValues[letter] ?? 0)
  return values.reduce((sum, value, i) => (value < (values[i + 1] ?? 0) ? sum - value : sum + value), 0)
}

/**
 * A title with a Roman number, and perhaps smaller numbers: `Tanya XXVI`, `Genesis XXIII:4`. The number of a part is not
 * one of its chapters: `Tanya, Part VI`.
 */
const behindTitle = /^(.*\S)(?<!\b(?:part|pt|vol|volume)\.?)[\s,.]+([ivxlc]+)(\s*[:.,]\s*\d.*)?$/iu

/** Writes the digits of a Roman number behind a title. Undefined for a text without one. */
export function withRomanDigits(text: string): string | undefined {
  const [, title = '', written = '', more = ''] = behindTitle.exec(text) ?? []
  const number = romanNumber(written)
  return number === undefined ? undefined : `${title} ${number}${more}`
}

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

/** Writes a number below 400 in Roman letters; empty for others. */
export function toRomanNumber(number: number): string {
  if (number >= 400) return ''
  let left = number
  let written = ''
  for (const [letters, value] of romanParts) {
    while (left >= value) {
      written += letters
      left -= value
    }
  }
  return written
}
