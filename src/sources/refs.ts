import { fold } from './fold.ts'
import { hebrewNumber } from './hebrew-numbers.ts'

/** A number in an address: a chapter, a paragraph, or a daf with its side such as `2a`. */
export type AddressPart = string

/** A ref taken apart: what it stands under, and the numbers, from general to special. */
export type ParsedRef = {
  readonly heading: string
  readonly address: readonly AddressPart[]
  /** The last place of a range, as deep as the first. */
  readonly until?: readonly AddressPart[]
}

const latinUnits =
  '(?:(?:chapters?|chap|ch|sections?|sec|paragraphs?|torah|lesson|letter|epistle|perek|siman|daf|page|p|no|verse)\\.?|[§#])'
const number = '\\d{1,4}[ab]?'
const separator = '(?:\\s*[.:,]\\s*|\\s+)'
const numbers = `${number}(?:${separator}(?:${latinUnits}\\s*)?${number})*`
const latinAddress = new RegExp(
  `^(.*?)(?:^|[\\s.,:_]+)(?:${latinUnits}\\s*)?(${numbers})(?:\\s*[-–—]\\s*(${numbers}))?$`,
  'iu',
)

/** What is longer is no ref: its beginning is taken, which keeps hostile input cheap. */
const longestRef = 600

/**
 * Takes apart a ref in any of the ways people write it: `Tanya, Part I; Likkutei Amarim 32:4`, `Likutei Moharan
 * 282.1`, `Berakhot 2a-3b`, `Tanya,_Part_I;_Likkutei_Amarim.32.4` (percent-encoding undone or not), `Tanya chapter 32`,
 * `תניא פרק ל"ב`, `ברכות ב ע"א`. Without numbers the whole is the heading.
 */
export function parseRef(written: string): ParsedRef {
  const text = decoded(written.slice(0, longestRef))
    .normalize('NFKC')
    .replace(/[_\s]+/g, ' ')
    .trim()
  if (/[א-ת]/.test(text)) {
    const hebrew = parseHebrew(text)
    if (hebrew.address.length > 0) return hebrew
  }
  const latin = latinAddress.exec(text)
  if (latin?.[2] === undefined) return { heading: trimHeading(text), address: [] }
  const address = splitNumbers(latin[2])
  const until = latin[3] === undefined ? undefined : rangeEnd(address, splitNumbers(latin[3]))
  return { heading: trimHeading(latin[1] ?? ''), address, ...(until && { until }) }
}

function decoded(written: string): string {
  try {
    return /%[0-9a-f]{2}/i.test(written) ? decodeURIComponent(written) : written
  } catch {
    return written
  }
}

function trimHeading(text: string): string {
  return text.replace(/^[\s.,:;"']+|[\s.,:;]+$/g, '')
}

function splitNumbers(text: string): readonly AddressPart[] {
  return (text.toLowerCase().match(/\d+[ab]?/g) ?? []).map((part) => part.replace(/^0+(?=\d)/, ''))
}

/** `1:1-3` ends at `1:3`: a range gives only what differs at its end. */
function rangeEnd(start: readonly AddressPart[], end: readonly AddressPart[]): readonly AddressPart[] {
  return [...start.slice(0, Math.max(0, start.length - end.length)), ...end]
}

const hebrewUnits = new Set(
  'פרק פרקים סימן סעיף אות תורה דף עמוד פסקה אגרת הלכה משנה פסוק מאמר דרוש פ'.split(' '),
)
const sides: Readonly<Record<string, 'a' | 'b'>> = { 'ע"א': 'a', 'ע"ב': 'b' }

/** Takes numbers from the end: one that may stand alone, and before it any that have their unit in front. */
function parseHebrew(text: string): ParsedRef {
  const words = text
    .replace(/[״”„“]/g, '"')
    .replace(/[׳’]/g, "'")
    .split(/[\s,]+/)
  let side = sides[words.at(-1) ?? '']
  if (side) words.pop()
  const address: AddressPart[] = []
  for (
    let taken = takeNumber(words, true);
    taken;
    taken = taken.unit ? takeNumber(words, false) : undefined
  ) {
    if (taken.unit === 'עמוד' && taken.parts.length === 1) side = taken.parts[0] === '1' ? 'a' : 'b'
    else address.unshift(...taken.parts)
  }
  const sided = side && address.length === 1 ? [`${address[0]}${side}`] : address
  return { heading: trimHeading(words.join(' ')), address: sided }
}

type Taken = { readonly parts: readonly AddressPart[]; readonly unit: string | undefined }

/** Takes a number, with the unit before it, off the end of `words`; the first word always belongs to the heading. */
function takeNumber(words: string[], mayStandAlone: boolean): Taken | undefined {
  if (words.length < 2) return undefined
  const unit = hebrewUnits.has(words.at(-2) ?? '') ? words.at(-2) : undefined
  // A second number without a unit would be a word of the heading more often than not.
  if (unit === undefined && !mayStandAlone) return undefined
  const parts = hebrewParts(words.at(-1) ?? '', mayStandAlone)
  if (parts) words.splice(unit === undefined ? -1 : -2)
  return parts && { parts, unit }
}

/** `לב`, `ל"ב`, `לב:ד`, `לב:4`, and `ב.` and `ב:`, the two sides of a daf. */
function hebrewParts(word: string, mayBeDaf: boolean): readonly AddressPart[] | undefined {
  const daf = /^([^.:]+)([.:])$/.exec(word)
  const dafNumber = daf?.[1] === undefined ? undefined : hebrewNumber(daf[1])
  if (mayBeDaf && dafNumber !== undefined) return [`${dafNumber}${daf?.[2] === '.' ? 'a' : 'b'}`]
  const parts = word.split(/[:.]/).map((part) => (/^\d+$/.test(part) ? Number(part) : hebrewNumber(part)))
  return parts.every((part) => part !== undefined) ? parts.map(String) : undefined
}

/** The canonical way to write a ref. */
export function formatRef(ref: ParsedRef): string {
  const start = ref.address.join(':')
  const whole = start === '' ? ref.heading : `${ref.heading} ${start}`
  if (!ref.until) return whole
  const differs = ref.until.findIndex((part, i) => part !== ref.address[i])
  return differs < 0 ? whole : `${whole}-${ref.until.slice(differs).join(':')}`
}

/** The ref one level up: `Tanya, Part I; Likkutei Amarim 32` for `... 32:4`, the heading for a single number. */
export function sectionOf(ref: string): string {
  return ref.replace(/(?:[:.]\s*\d+[ab]?| \d+[ab]?)$/, '')
}

/** The ref without its numbers, what a heading shows: `Tanya, Part I; Likkutei Amarim`. */
export function headingOf(ref: string): string {
  return ref.replace(/ \d+[ab]?(?:[:.]\d+)*(?:-\d+[ab]?(?:[:.]\d+)*)?$/, '')
}

/** Headings that differ only in case, points and punctuation have one key. */
export function headingKey(heading: string): string {
  return fold(heading.replace(/['’`]/g, '')).folded
}

/** A key that also ignores vowels and the ways of transliterating: for headings that no exact key finds. */
export function looseHeadingKey(heading: string): string {
  const words = headingKey(heading)
    .split(' ')
    .map((word) => (/^[a-z]{4,}$/.test(word) ? consonants(word) : word.replace(/(?<=.)[וי](?=.)/g, '')))
  return `~${words.join(' ')}`
}

function consonants(word: string): string {
  const spelled = word
    .replace(/(?<=[aeou])s$/, 't')
    .replace(/th$/, 't')
    .replace(/ch|kh/g, 'h')
    .replace(/tz|ts/g, 'z')
    .replace(/ck|[qc]/g, 'k')
    .replace(/ph/g, 'f')
    .replace(/w/g, 'v')
    .replace(/h$/, '')
  return (
    spelled.slice(0, 1) +
    spelled
      .slice(1)
      .replace(/[aeiouy]/g, '')
      .replace(/(.)\1+/g, '$1')
  )
}
