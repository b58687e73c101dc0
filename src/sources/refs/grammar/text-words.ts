import { medial } from '../../text/fold.ts'
import { headingKey, looseNextWord, looseWord } from '../../text/heading-keys.ts'
import { readTable } from '../../vocabulary/data/table.ts'
import { latinUnits } from './units.ts'

/** A word of a text with its range in UTF-16 units; `end` is exclusive. */
export type TextWord = {
  readonly start: number
  readonly end: number
  readonly text: string
  /** The word in the form of `headingKey`. */
  readonly key: string
  /** The word in the form of `looseHeadingKey`, at the beginning of a title and within one. */
  readonly loose: string
  readonly looseNext: string
}

/** Matches letters and digits, with quotation marks inside a word (`מוהר"ן`) and a geresh after a Hebrew letter. */
const word =
  /[\p{L}\p{N}\p{M}]+(?:["'`׳״‘’“”„]{1,2}[\p{L}\p{N}\p{M}]+)*(?:(?<=[\u05d0-\u05ea\u05b0-\u05bd])['׳’](?!\p{L}))?[\u200b-\u200f\u202a-\u202e\u2066-\u2069]*/gu

/** Signs of direction and of width. A word has those behind it in its range, and the grammar ignores them. */
export const invisible = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069]+/g

/** Matches a Hebrew prefix of a word in Latin letters: `בTanya`. */
const hebrewPrefix = /^[ובהלמשכ]{1,2}(?=[\p{Script=Latin}\d])/u

/** Matches letters that may be a unit written together with its number: `Ch32`. */
const lettersBeforeNumber = /^[a-z]{2,8}(?=\d{1,4}[a-z]?$)/i

/** Longer runs of letters are skipped. */
const longestWord = 60

type Keys = Pick<TextWord, 'key' | 'loose' | 'looseNext'>

const remembered = new Map<string, Keys>()

/** Words processed between two checks of the clock. */
const wordsPerStep = 50

/** Splits a text into words, in order. The generator yields at points where the caller may pause it. */
export function* wordsIn(text: string): Generator<undefined, readonly TextWord[]> {
  const words: TextWord[] = []
  let read = 0
  for (const match of text.matchAll(word)) {
    read += 1
    if (read % wordsPerStep === 0) yield
    for (const [from, to] of partsOf(match[0])) {
      const written = match[0].slice(from, to).replace(invisible, '')
      const keys = written.length > longestWord ? undefined : keysOf(written)
      if (keys && keys.key !== '')
        words.push({ start: match.index + from, end: match.index + to, text: written, ...keys })
    }
  }
  return words
}

/** The range of a word behind its prefix; two ranges for a unit with its number. */
function partsOf(written: string): readonly (readonly [from: number, to: number])[] {
  const from = hebrewPrefix.exec(written)?.[0].length ?? 0
  const unit = lettersBeforeNumber.exec(written)?.[0] ?? ''
  const to = written.length
  if (!latinUnits.has(unit.toLowerCase())) return [[from, to]]
  return [
    [0, unit.length],
    [unit.length, to],
  ]
}

/** The words of a short text. */
export function wordsOf(text: string): readonly TextWord[] {
  const reading = wordsIn(text)
  for (let step = reading.next(); ; step = reading.next()) if (step.done) return step.value
}

function keysOf(written: string): Keys {
  const known = remembered.get(written)
  if (known) return known
  const key = headingKey(written)
  const made = { key, loose: looseWord(key), looseNext: looseNextWord(key) }
  // Texts repeat a few thousand words. The limit keeps hostile input from growing the table.
  if (remembered.size < 20_000) remembered.set(written, made)
  return made
}

/** Whether the text between two words ends a sentence or a paragraph. No title or ref continues across it. */
export function isBreak(gap: string): boolean {
  return gap.length > 12 || /[?!]|\.\s|\n\s*\n/.test(gap)
}

/** The text between a word and the one before it. */
export function gapBefore(text: string, words: readonly TextWord[], at: number): string {
  const gap = text.slice(words[at - 1]?.end ?? 0, words[at]?.start ?? text.length)
  return gap.length > 1 ? gap.replace(invisible, '') : gap
}

/** A word as written, without vowel points and with straight quotation marks, as the grammar reads it. */
export function bareText(written: string): string {
  return written
    .replace(/[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g, '')
    .replace(/[׳‘’`´]/g, "'")
    .replace(/''|[״“”„]/g, '"')
}

/** The same for a word of a text; empty if there is none. */
export function bare(word: TextWord | undefined): string {
  return bareText(word?.text ?? '')
}

const roles: ReadonlyMap<string, readonly string[]> = new Map(
  readTable(new URL('./words.tsv', import.meta.url), { role: 'text', words: 'list' }, 'role').map(
    ({ role, words }) => [role, words],
  ),
)

/** The words of a row of `words.tsv`, as written. */
export function wordsOfRole(role: string): ReadonlySet<string> {
  const words = roles.get(role)
  if (!words) throw new Error(`No row of words.tsv has the role ${role}.`)
  return new Set(words)
}

/** The words of a row of `words.tsv`, in the form of `headingKey`. */
export function keysOfRole(role: string): ReadonlySet<string> {
  return new Set([...wordsOfRole(role)].map(medial))
}

/** The words of a row of `words.tsv` as alternatives of a regular expression, with either form of their quotation marks. */
export function anyOfRole(role: string): string {
  const quoted: Readonly<Record<string, string>> = { '.': '\\.', "'": "['’׳]", '"': '["״]' }
  const written = [...wordsOfRole(role)].map((word) => word.replace(/[.'"]/g, (sign) => quoted[sign] ?? sign))
  return `(?:${written.join('|')})`
}

/**
 * The same, each word also with a capital letter. `(?i:…)` is no way to say it: in V8 it leaks from one alternative into the
 * next, so that the same pattern matches in one process and not in another (nodejs/node#60030).
 */
export function eitherCaseOfRole(role: string): string {
  return anyOfRole(role).replace(/(?<=[:| ])[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
}
